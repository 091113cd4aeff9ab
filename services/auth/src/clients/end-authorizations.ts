import type { SystemTransaction } from '@quittance/runtime/handler'
import { tokenRevokedEvent } from '../identity/token-revoked.ts'
import type { Client } from './client.ts'

type Context = Pick<SystemTransaction, 'systemSql' | 'publish'>

const deleteGrants = `delete from grants where client_id = :client_id`
const deleteConsents = `delete from consents where client_id = :client_id`

const notify = `
  insert into client_change_notices (account_id, client_id)
  select account_id, :client_id from grants where client_id = :client_id and expires_at > now()
  union
  select account_id, :client_id from consents where client_id = :client_id`

const deleteExceedingGrants = `
  with ended as (
    delete from grants where client_id = :client_id
      and not string_to_array(coalesce(payload->'openid'->>'scope', ''), ' ') <@ :scopes::text[]
    returning 1)
  select count(*)::int as count from ended`

const reduceConsents = `
  update consents set scopes = array(select unnest(scopes) intersect select unnest(:scopes::text[])), modified_at = now()
  where client_id = :client_id and not scopes <@ :scopes::text[]`

/** Ends everything issued to a client and deletes every consent to it. Gateways evict its cached tokens. */
export async function endAuthorizations(client: Pick<Client, 'id' | 'clientId'>, { systemSql, publish }: Context): Promise<void> {
  const { id, clientId: client_id } = client
  await systemSql('grant.delete-of-client', deleteGrants, { client_id })
  await systemSql('consent.delete-of-client', deleteConsents, { client_id })
  publish(tokenRevokedEvent({ aggregateId: id, client_id }))
}

/** Like `endAuthorizations`; the affected users see a notice on their account page. */
export async function endChangedAuthorizations(client: Pick<Client, 'id' | 'clientId'>, context: Context): Promise<void> {
  await context.systemSql('client.notify-of-change', notify, { client_id: client.clientId })
  await endAuthorizations(client, context)
}

/**
 * Ends the authorizations that contain a scope which the client no longer has. They are not reduced, because the scopes of a JWT access
 * token are signed. Consent to the other scopes stays, so the client can repeat an authorization without a page.
 */
export async function endExceedingAuthorizations(
  { id, clientId: client_id, scopes }: Pick<Client, 'id' | 'clientId' | 'scopes'>,
  { systemSql, publish }: Context,
): Promise<void> {
  const values = { client_id, scopes: [...scopes] }
  await systemSql('consent.reduce', reduceConsents, values)
  const [ended] = await systemSql<{ count: number }>('grant.delete-exceeding', deleteExceedingGrants, values)
  if ((ended?.count ?? 0) > 0) publish(tokenRevokedEvent({ aggregateId: id, client_id }))
}

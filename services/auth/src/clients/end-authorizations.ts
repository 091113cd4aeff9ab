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

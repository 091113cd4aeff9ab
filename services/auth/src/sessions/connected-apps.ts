import type { Rows } from '@quittance/runtime/handler'
import type { Revocation } from '../provider/revocation.ts'

/** One authorization that still works: a family of tokens. */
export interface Connection {
  grantId: string
  createdAt: string
  /** Null for the person's own account. */
  organization: string | null
  scopes: string[]
}

/** A client the person allowed something. */
export interface ConnectedApp {
  clientId: string
  name: string
  connections: Connection[]
}

/** Newest first; codes that were never redeemed and families that ran out are not shown. */
const find = `
  select c.client_id, c.name, coalesce(json_agg(json_build_object(
      'grantId', g.id, 'createdAt', g.created_at, 'organization', o.name,
      'scopes', string_to_array(g.payload->'openid'->>'scope', ' ')) order by g.created_at desc)
    filter (where g.id is not null), '[]') as connections
  from clients c
  left join lateral (
    select g.* from grants g
    where g.client_id = c.client_id and g.account_id = :account_id and g.expires_at > now()
      and (exists (select from refresh_tokens t where t.grant_id = g.id and t.consumed_at is null and t.expires_at > now())
        or exists (select from oauth_access_tokens t where t.grant_id = g.id and t.expires_at > now()))
    order by g.created_at desc limit 20) g on true
  left join organizations o on o.id = g.organization_id
  where c.client_id in (select client_id from grants where account_id = :account_id
    union select client_id from consents where account_id = :account_id)
  group by c.client_id, c.name order by lower(c.name) limit 100`

const findGrants = `
  select id from grants
  where account_id = :account_id and (id = :grant_id::text or client_id = :client_id::text)`

const forget = `delete from consents where account_id = :account_id and client_id = :client_id`

export async function readConnectedApps(rows: Rows, accountId: string): Promise<ConnectedApp[]> {
  const found = await rows<{ client_id: string; name: string; connections: Connection[] }>('connected-apps.find', find, {
    account_id: accountId,
  })
  return found.map(({ client_id, name, connections }) => ({ clientId: client_id, name, connections }))
}

/** What to end: one family of tokens, or all of an application with what was remembered of the consent. */
export interface Disconnection {
  accountId: string
  grantId: string | null
  clientId: string | null
}

export async function disconnect(rows: Rows, revocation: Revocation, { accountId, grantId, clientId }: Disconnection): Promise<void> {
  const values = { account_id: accountId, grant_id: grantId, client_id: clientId }
  if (clientId) await rows('connected-apps.forget', forget, { account_id: accountId, client_id: clientId })
  for (const { id } of await rows<{ id: string }>('connected-apps.grants', findGrants, values)) await revocation.revokeGrant(id)
}

import type { SystemSql } from '@quittance/sql/sql-runner'
import type { ConnectedApp, Connection } from '../pages/account-page.ts'
import type { ClientNotice } from '../pages/client-notices.ts'
import type { Revocation } from '../provider/revocation.ts'

/** Newest first; excludes codes that were never exchanged and families that have expired. */
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

const deleteConsents = `delete from consents where account_id = :account_id and client_id = :client_id`

export async function readConnectedApps(systemSql: SystemSql, accountId: string): Promise<ConnectedApp[]> {
  const found = await systemSql<{ client_id: string; name: string; connections: Connection[] }>('connected-apps.find', find, {
    account_id: accountId,
  })
  return found.map(({ client_id, name, connections }) => ({ clientId: client_id, name, connections }))
}

/** What to end: one token family, or all of an application including its consents. */
export interface DisconnectRequest {
  accountId: string
  grantId: string | null
  clientId: string | null
}

export async function disconnect(
  systemSql: SystemSql,
  revocation: Revocation,
  { accountId, grantId, clientId }: DisconnectRequest,
): Promise<void> {
  const values = { account_id: accountId, grant_id: grantId, client_id: clientId }
  if (clientId) await systemSql('connected-apps.delete-consents', deleteConsents, { account_id: accountId, client_id: clientId })
  for (const { id } of await systemSql<{ id: string }>('connected-apps.grants', findGrants, values)) await revocation.revokeGrant(id)
}

const findNotices = `
  select c.name, to_json(max(n.created_at))#>>'{}' as created_at
  from client_change_notices n join clients c on c.client_id = n.client_id
  where n.account_id = :account_id and n.created_at > now() - interval '30 days'
  group by c.client_id, c.name order by max(n.created_at) desc limit 20`

/** Reads the notices of the last 30 days, newest first, one per client. */
export async function readClientNotices(systemSql: SystemSql, accountId: string): Promise<ClientNotice[]> {
  const found = await systemSql<{ name: string; created_at: string }>('client-notices.find', findNotices, { account_id: accountId })
  return found.map(({ name, created_at }) => ({ name, createdAt: created_at }))
}

import type { SystemSql } from '@quittance/sql/sql-runner'
import { errors, type Adapter, type AdapterPayload } from 'oidc-provider'
import type { Revocation } from './revocation.ts'
import { currentUnitOfWork } from './unit-of-work.ts'

/** Stores no grant with a scope that the client no longer has. The lock waits for a concurrent change of the client. */
const upsert = `
  with recipient as (
    select client_id from clients where client_id = :client_id and :scopes::text[] <@ scopes for share)
  insert into grants (id, account_id, client_id, sub_type, organization_id, payload, expires_at)
  select :id, :account_id, client_id, :sub_type, :organization_id, :payload::jsonb, to_timestamp(:expires_at) from recipient
  on conflict (id) do update set payload = excluded.payload, expires_at = excluded.expires_at
  returning 1`

const find = `select payload from grants where id = :id and expires_at > now()`

/** One row per authorization. The chosen organization is a column, because every use of a token reads it. */
export function grantStore(systemSql: SystemSql, revocation: Revocation): Partial<Adapter> {
  return {
    async upsert(id, { jti: _, ...payload }) {
      const scopes = (payload['openid'] as { scope?: string } | undefined)?.scope?.split(' ') ?? []
      const stored = await systemSql('grant.upsert', upsert, {
        id,
        account_id: payload.accountId,
        client_id: payload.clientId,
        sub_type: payload['subType'],
        organization_id: payload['organizationId'] ?? null,
        scopes,
        payload: JSON.stringify(payload),
        expires_at: payload.exp,
      })
      if (stored.length === 0) throw new errors.InvalidScope('the client no longer has a requested scope', scopes.join(' '))
    },
    async find(id) {
      const known = currentUnitOfWork()?.grants.get(id)
      if (known) return { ...known.payload, jti: id }
      const [found] = await systemSql<{ payload: AdapterPayload }>('grant.find', find, { id })
      return found && { ...found.payload, jti: id }
    },
    destroy: (id) => revocation.revokeGrant(id),
  }
}

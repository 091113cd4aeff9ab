import type { SystemSql } from '@quittance/sql/sql-runner'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import type { Revocation } from './revocation.ts'
import { currentUnitOfWork } from './unit-of-work.ts'

const upsert = `
  insert into grants (id, account_id, client_id, sub_type, organization_id, payload, expires_at)
  values (:id, :account_id, :client_id, :sub_type, :organization_id, :payload::jsonb, to_timestamp(:expires_at))
  on conflict (id) do update set payload = excluded.payload, expires_at = excluded.expires_at`

const find = `select payload from grants where id = :id and expires_at > now()`

/** One row per authorization. The chosen organization is a column, because every use of a token reads it. */
export function grantStore(systemSql: SystemSql, revocation: Revocation): Partial<Adapter> {
  return {
    async upsert(id, { jti: _, ...payload }) {
      await systemSql('grant.upsert', upsert, {
        id,
        account_id: payload.accountId,
        client_id: payload.clientId,
        sub_type: payload['subType'],
        organization_id: payload['organizationId'] ?? null,
        payload: JSON.stringify(payload),
        expires_at: payload.exp,
      })
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

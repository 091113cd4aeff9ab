import type { SystemSql } from '@quittance/sql/sql-runner'
import { hashToken } from '@quittance/runtime/credential'
import { Provider, type Adapter, type AdapterPayload } from 'oidc-provider'
import { rejectRace, type TokenUse } from './reject-race.ts'
import type { Revocation } from './revocation.ts'
import { currentUnitOfWork, type GrantRow, type TokenRow } from './unit-of-work.ts'

type Table = 'authorization_codes' | 'refresh_tokens' | 'oauth_access_tokens'

interface Found extends TokenUse {
  payload: AdapterPayload
  grant: GrantRow
}

/** A use is followed if a token of the family has been used after it. */
const useOfRefreshToken = `
  case when t.consumed_at is not null then json_build_object('from', t.consumed_from,
    'isFollowed', exists (select from refresh_tokens n where n.grant_id = t.grant_id and n.consumed_at > t.consumed_at)) end`

/** Reads a token, its grant, and whether its user may still act, in one round trip. */
const findIn = (table: Table) => `
  select t.payload, ${table === 'oauth_access_tokens' ? 'null' : 'extract(epoch from now() - t.consumed_at) * 1000'} as used_ms_ago,
    ${table === 'refresh_tokens' ? useOfRefreshToken : 'null'} as use,
    json_build_object('id', g.id, 'account_id', g.account_id, 'client_id', g.client_id, 'sub_type', g.sub_type,
      'organization_id', g.organization_id, 'organization_slug', (select o.slug from organizations o where o.id = g.organization_id), 'payload', g.payload, 'email', a.email, 'email_verified', a.email_verified_at is not null,
      'is_member', g.organization_id is null
        or exists (select from members m where m.organization_id = g.organization_id and m.account_id = g.account_id)) as grant
  from ${table} t
  join grants g on g.id = t.grant_id
  join accounts a on a.id = g.account_id
  where t.token_hash = :hash and t.expires_at > now() and g.expires_at > now()`

const insertInto = (table: Table) => `
  insert into ${table} (token_hash, grant_id, payload, expires_at)
  values (:hash, :grant_id, :payload::jsonb, to_timestamp(:expires_at))`

interface StoreOptions {
  table: Table
  systemSql: SystemSql
  revocation: Revocation
}

/** Stores codes and tokens by their hash. The clear value is in no column. */
export function tokenStore({ table, systemSql, revocation }: StoreOptions): Partial<Adapter> {
  const find = findIn(table)
  const insert = insertInto(table)
  return {
    async upsert(value, { jti: _, ...payload }) {
      const grantId = payload.grantId as string
      const stored = table === 'refresh_tokens' && isProven() ? { ...payload, [proven]: true } : payload
      const token = { hash: hashToken(value), payload: stored, expiresAt: payload.exp as number }
      if (!enqueue(table, token)) {
        await systemSql(`${table}.insert`, insert, {
          hash: token.hash,
          grant_id: grantId,
          payload: JSON.stringify(stored),
          expires_at: token.expiresAt,
        })
      }
    },
    async find(value) {
      const read = async () => (await systemSql<Found>(`${table}.find`, find, { hash: hashToken(value) }))[0]
      const found = await read()
      if (!found) return undefined
      const unit = currentUnitOfWork()
      unit?.grants.set(found.grant.id, found.grant)
      if (unit && found.payload[proven]) unit.needsProof = true
      if (unit) await rejectRace(found, unit, async () => (await read())?.used_ms_ago ?? Infinity)
      return { ...found.payload, jti: value, ...(found.used_ms_ago !== null && { consumed: true }) }
    },
    async consume(value) {
      const unit = currentUnitOfWork()
      if (!unit || table === 'oauth_access_tokens') throw new Error('Consumed outside of a token request')
      unit.used = { table, hash: hashToken(value) }
    },
    destroy: (value) => revocation.revokeToken(table, hashToken(value)),
    revokeByGrantId: (grantId) => revocation.revokeGrant(grantId),
  }
}

/** Added to a refresh token's row: its family is bound to a key. The library binds refresh tokens of public clients only. */
const proven = 'proven'

function isProven(): boolean {
  const { AccessToken } = Provider.ctx?.oidc.entities ?? {}
  return currentUnitOfWork()?.needsProof === true || AccessToken?.isSenderConstrained() === true
}

/** Within a token request, issued tokens are stored at its commit. */
function enqueue(table: Table, token: TokenRow): boolean {
  const unit = currentUnitOfWork()
  if (!unit || table === 'authorization_codes') return false
  unit[table === 'refresh_tokens' ? 'refreshToken' : 'accessToken'] = token
  return true
}

import type { Rows } from '@quittance/runtime/handler'
import { hashToken } from '@quittance/runtime/credential'
import { errors, Provider, type Adapter, type AdapterPayload } from 'oidc-provider'
import type { Revocation } from './revocation.ts'
import { currentUnitOfWork, type GrantRow, type TokenRow } from './unit-of-work.ts'

type Table = 'authorization_codes' | 'refresh_tokens' | 'oauth_access_tokens'

interface Found {
  payload: AdapterPayload
  /** Epoch milliseconds. */
  consumed_at: number | null
  grant: GrantRow
}

/** A token, its grant, and whether its person may still act: one round trip. */
const findIn = (table: Table) => `
  select t.payload, ${table === 'oauth_access_tokens' ? 'null' : 'extract(epoch from t.consumed_at) * 1000'} as consumed_at,
    json_build_object('id', g.id, 'account_id', g.account_id, 'client_id', g.client_id, 'sub_type', g.sub_type,
      'organization_id', g.organization_id, 'payload', g.payload, 'email', a.email, 'email_verified', a.email_verified_at is not null,
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
  rows: Rows
  revocation: Revocation
}

/** Keeps codes and tokens by their hash. The clear value is in no column. */
export function tokenStore({ table, rows, revocation }: StoreOptions): Partial<Adapter> {
  const find = findIn(table)
  const insert = insertInto(table)
  return {
    async upsert(value, { jti: _, ...payload }) {
      const grantId = payload.grantId as string
      const kept = table === 'refresh_tokens' && isProven() ? { ...payload, [proven]: true } : payload
      const token = { hash: hashToken(value), grantId, payload: kept, expiresAt: payload.exp as number }
      if (!enqueue(table, token)) {
        await rows(`${table}.insert`, insert, {
          hash: token.hash,
          grant_id: grantId,
          payload: JSON.stringify(kept),
          expires_at: token.expiresAt,
        })
      }
    },
    async find(value) {
      const [found] = await rows<Found>(`${table}.find`, find, { hash: hashToken(value) })
      if (!found) return undefined
      const unit = currentUnitOfWork()
      unit?.grants.set(found.grant.id, found.grant)
      if (unit && found.payload[proven]) unit.needsProof = true
      refuseRace(found, unit?.startedAt)
      return { ...found.payload, jti: value, ...(found.consumed_at !== null && { consumed: true }) }
    },
    async consume(value) {
      const unit = currentUnitOfWork()
      if (!unit || table === 'oauth_access_tokens') throw new Error('Used up outside of a token request')
      unit.used = { table, hash: hashToken(value) }
    },
    destroy: (value) => revocation.revokeToken(table, hashToken(value)),
    revokeByGrantId: (grantId) => revocation.revokeGrant(grantId),
  }
}

/** Of our own in a refresh token's row: its family is bound to a key. The library binds refresh tokens of public clients only. */
const proven = 'proven'

function isProven(): boolean {
  const { AccessToken } = Provider.ctx?.oidc.entities ?? {}
  return currentUnitOfWork()?.needsProof === true || AccessToken?.isSenderConstrained() === true
}

/** Within a token request what is issued waits for the commit. */
function enqueue(table: Table, token: TokenRow): boolean {
  const unit = currentUnitOfWork()
  if (!unit || table === 'authorization_codes') return false
  unit[table === 'refresh_tokens' ? 'refreshToken' : 'accessToken'] = token
  return true
}

/**
 * Already here when the first use was written, it is a client in a hurry and not a thief: refused, but the family lives. Whatever
 * comes after that is theft, and the library revokes the family: there is no leeway.
 */
function refuseRace({ consumed_at }: Found, startedAt: number | null | undefined): void {
  if (consumed_at !== null && typeof startedAt === 'number' && startedAt <= consumed_at) {
    throw new errors.InvalidGrant('used by another request at the same time')
  }
}

import type { SystemSql } from '@quittance/sql/sql-runner'
import type { TokenRow, UnitOfWork } from './unit-of-work.ts'

/**
 * One statement: the first request locks the consumed code or token; every later one updates and inserts nothing. The update joins the locked
 * grant, so the grant is locked before the token, as when it is deleted: in the other order both would wait for each other.
 */
const rotation = (table: 'authorization_codes' | 'refresh_tokens') => `
  with active as (
    select g.id from grants g where g.id = (select grant_id from ${table} where token_hash = :used) for key share),
  used as (
    update ${table} set consumed_at = now()${table === 'refresh_tokens' ? ', consumed_from = :address::text' : ''}
    from active where token_hash = :used and grant_id = active.id and consumed_at is null returning grant_id),
  refresh as (
    insert into refresh_tokens (token_hash, grant_id, payload, expires_at)
    select :refresh_hash::text, grant_id, :refresh_payload::jsonb, to_timestamp(:refresh_expires) from used where :refresh_hash::text is not null),
  access as (
    insert into oauth_access_tokens (token_hash, grant_id, payload, expires_at)
    select :access_hash::text, grant_id, :access_payload::jsonb, to_timestamp(:access_expires) from used where :access_hash::text is not null)
  select count(*)::int as won from used`

const statements = {
  authorization_codes: { name: 'token.redeem', sql: rotation('authorization_codes') },
  refresh_tokens: { name: 'token.rotate', sql: rotation('refresh_tokens') },
}

/**
 * Stores what the request issued. Returns false if another request used the code or token first, or if the grant was revoked since: then
 * nothing is written, and the caller must not return the tokens.
 */
export async function commitTokenRequest({ used, address, accessToken, refreshToken }: UnitOfWork, systemSql: SystemSql): Promise<boolean> {
  if (!used) return true
  const { name, sql } = statements[used.table]
  const [outcome] = await systemSql<{ won: number }>(name, sql, {
    used: used.hash,
    ...(used.table === 'refresh_tokens' && { address }),
    ...columns('refresh', refreshToken),
    ...columns('access', accessToken),
  })
  return outcome?.won === 1
}

function columns(kind: 'refresh' | 'access', token: TokenRow | null): Record<string, unknown> {
  return {
    [`${kind}_hash`]: token?.hash ?? null,
    [`${kind}_payload`]: token && JSON.stringify(token.payload),
    [`${kind}_expires`]: token?.expiresAt ?? 0,
  }
}

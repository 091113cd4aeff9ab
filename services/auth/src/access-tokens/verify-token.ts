import { verifyToken as verifyTokenContract, verifyGrant as verifyGrantContract } from '@quittance/contracts/auth'
import type { Caller } from '@quittance/contracts/caller'
import { personalScopes, type PersonalScope } from '@quittance/contracts/scopes'
import { systemQuery } from '@quittance/runtime/system-handler'
import { toCaller, createInvalidTokenError, membershipsSql, activeGrantsSql, type ActiveGrant } from './active-grant.ts'

type TokenRow = {
  token_id: string
  scopes: string[] | null
  expires_at: string | null
  grant_id: string | null
  jkt: string | null
} & (ActiveGrant | { sub_type: 'client'; client_id: string })

/** Updates `last_used_at` at most once a minute: a write per verification would cost more than the verification. */
const find = `
  with touched as (
    update access_tokens set last_used_at = now()
    where token_hash = :hash and (last_used_at is null or last_used_at < now() - interval '1 minute'))
  select case t.kind when 'organization' then 'organization' else 'user' end as sub_type, t.id::text as token_id,
    t.organization_id, t.account_id, null as client_id,
    ${membershipsSql('t.account_id', 't.organization_ids is null or m.organization_id = any(t.organization_ids)')} as organization_ids,
    t.scopes, to_json(t.expires_at)#>>'{}' as expires_at, null as grant_id, null as jkt
  from access_tokens t
  where t.token_hash = :hash and t.revoked_at is null and (t.expires_at is null or t.expires_at > now())
  union all
  select g.sub_type, 'at_' || left(t.token_hash, 16),
    g.organization_id, g.account_id, g.client_id, ${membershipsSql('g.account_id')},
    string_to_array(t.payload->>'scope', ' '), to_json(t.expires_at)#>>'{}', g.id, t.payload->>'jkt'
  from oauth_access_tokens t join ${activeGrantsSql} on g.id = t.grant_id
  where t.token_hash = :hash and t.expires_at > now()
  union all
  select 'client', 'crt_' || left(c.registration_token_hash, 16),
    null, null, c.client_id, '{}', '{}', null, null, null
  from clients c
  where c.registration_token_hash = :hash and c.deleted_at is null`

const known: ReadonlySet<string> = new Set(personalScopes)

export const verifyToken = systemQuery(
  verifyTokenContract,
  { reason: 'finds a token by its hash: the caller is not known yet' },
  async ({ hash }, { systemSql }) => {
    const [token] = await systemSql<TokenRow>('token.verify', find, { hash })
    if (!token) throw createInvalidTokenError()
    return {
      caller: toTokenCaller(token),
      scopes: (token.scopes ?? []).filter((scope): scope is PersonalScope => known.has(scope)),
      expires_at: token.expires_at,
      confirmation: token.jkt === null ? null : { jkt: token.jkt },
      grant_id: token.grant_id,
    }
  },
)

function toTokenCaller(token: TokenRow): Caller {
  if (token.sub_type === 'client') return { kind: 'client', client_id: token.client_id, token_id: token.token_id }
  return toCaller(token, token.token_id)
}

const findGrant = `
  select g.sub_type, g.organization_id, g.account_id, g.client_id, ${membershipsSql('g.account_id')} as organization_ids
  from ${activeGrantsSql}
  where g.id = :grant_id and not exists (select from revoked_jwt_access_tokens r where r.jti = :token_id)`

export const verifyGrant = systemQuery(
  verifyGrantContract,
  { reason: 'finds the grant of a token by its id: the caller is not known yet' },
  async ({ grant_id, token_id }, { systemSql }) => {
    const [grant] = await systemSql<ActiveGrant>('grant.verify', findGrant, { grant_id, token_id })
    if (!grant) throw createInvalidTokenError()
    return { caller: toCaller(grant, token_id) }
  },
)

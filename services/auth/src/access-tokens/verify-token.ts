import { verifyToken as contract } from '@quittance/contracts/auth'
import type { Caller } from '@quittance/contracts/caller'
import { scopes as allScopes, type Scope } from '@quittance/contracts/scopes'
import { query } from '@quittance/runtime/handler'
import { callerOf, invalidToken, membershipsOf, standingGrants, type Standing } from './standing-grant.ts'

type TokenRow = {
  token_id: string
  scopes: string[] | null
  expires_at: string | null
  grant_id: string | null
  jkt: string | null
} & (Standing | { sub_type: 'client'; client_id: string })

/** `last_used_at` is kept to the minute: a write per verification would cost more than the verification. */
const find = `
  with touched as (
    update access_tokens set last_used_at = now()
    where token_hash = :hash and (last_used_at is null or last_used_at < now() - interval '1 minute'))
  select case t.kind when 'organization' then 'organization' else 'user' end as sub_type, t.id::text as token_id,
    t.organization_id, t.account_id, null as client_id, ${membershipsOf('t.account_id')} as organization_ids,
    t.scopes, to_json(t.expires_at)#>>'{}' as expires_at, null as grant_id, null as jkt
  from access_tokens t
  where t.token_hash = :hash and t.revoked_at is null and (t.expires_at is null or t.expires_at > now())
  union all
  select g.sub_type, 'at_' || left(t.token_hash, 16),
    g.organization_id, g.account_id, g.client_id, ${membershipsOf('g.account_id')},
    string_to_array(t.payload->>'scope', ' '), to_json(t.expires_at)#>>'{}', g.id, t.payload->>'jkt'
  from oauth_access_tokens t join ${standingGrants} on g.id = t.grant_id
  where t.token_hash = :hash and t.expires_at > now()
  union all
  select 'client', 'crt_' || left(c.registration_token_hash, 16),
    null, null, c.client_id, '{}', '{}', null, null, null
  from clients c
  where c.registration_token_hash = :hash and c.deleted_at is null`

const known: ReadonlySet<string> = new Set(allScopes)

export const verifyToken = query(contract, async ({ hash }, { rows }) => {
  const [token] = await rows<TokenRow>('token.verify', find, { hash })
  if (!token) throw invalidToken()
  return {
    caller: bearerOf(token),
    scopes: (token.scopes ?? []).filter((scope): scope is Scope => known.has(scope)),
    expires_at: token.expires_at,
    confirmation: token.jkt === null ? null : { jkt: token.jkt },
    grant_id: token.grant_id,
  }
})

function bearerOf(token: TokenRow): Caller {
  if (token.sub_type === 'client') return { kind: 'client', client_id: token.client_id, token_id: token.token_id }
  return callerOf(token, token.token_id)
}

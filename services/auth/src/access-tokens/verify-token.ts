import { verifyToken as contract } from '@quittance/contracts/auth'
import type { Caller } from '@quittance/contracts/caller'
import { InvalidToken } from '@quittance/contracts/errors'
import type { Scope } from '@quittance/contracts/scopes'
import { query } from '@quittance/runtime/handler'

interface TokenRow {
  id: string
  kind: 'organization' | 'personal'
  organization_id: string | null
  account_id: string
  scopes: Scope[]
  expires_at: string | null
  organization_ids: string[]
}

/** `last_used_at` is kept to the minute: a write per verification would cost more than the verification. */
const find = `
  with touched as (
    update access_tokens set last_used_at = now()
    where token_hash = :hash and (last_used_at is null or last_used_at < now() - interval '1 minute'))
  select t.id, t.kind, t.organization_id, t.account_id, t.scopes, to_json(t.expires_at)#>>'{}' as expires_at,
    array(select m.organization_id::text from members m where m.account_id = t.account_id) as organization_ids
  from access_tokens t
  where t.token_hash = :hash and t.revoked_at is null and (t.expires_at is null or t.expires_at > now())`

export const verifyToken = query(contract, async ({ hash }, { rows }) => {
  const [token] = await rows<TokenRow>('token.verify', find, { hash })
  if (!token) throw new InvalidToken('The access token provided is expired, revoked, malformed, or invalid for other reasons.')
  return { caller: callerOf(token), scopes: token.scopes, expires_at: token.expires_at }
})

/** An organization token acts for the organization whoever made it; a personal token sees what its person is a member of now. */
function callerOf(token: TokenRow): Caller {
  const common = { token_id: token.id, client_id: null }
  if (token.kind === 'organization' && token.organization_id) {
    return { kind: 'organization', organization_id: token.organization_id, user_id: token.account_id, ...common }
  }
  return { kind: 'user', user_id: token.account_id, organization_ids: token.organization_ids, ...common }
}

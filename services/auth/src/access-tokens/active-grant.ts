import type { Caller } from '@quittance/contracts/caller'
import { InvalidToken } from '@quittance/contracts/errors'

/**
 * Selects active grants `g`: not expired, the client exists, and for an organization the user is still a member. The rows of `grants` are
 * authoritative, not the claims of a token.
 */
export const activeGrantsSql = `(
  select g.id, g.client_id, g.account_id, g.sub_type, g.organization_id
  from grants g join clients c on c.client_id = g.client_id and c.deleted_at is null
  where g.expires_at > now() and (g.organization_id is null or exists (
    select from members m where m.organization_id = g.organization_id and m.account_id = g.account_id))
) g`

/**
 * Selects the organizations that the user of column `account` is a member of now; `bound` is a condition on members `m` that narrows them.
 */
export function membershipsSql(account: string, bound = 'true'): string {
  return `array(select m.organization_id::text from members m where m.account_id = ${account} and (${bound}))`
}

/** The grant for which a credential acts, as a row. */
export interface ActiveGrant {
  sub_type: 'organization' | 'user'
  organization_id: string | null
  account_id: string
  client_id: string | null
  /** Current memberships of the user. */
  organization_ids: string[]
}

/**
 * Converts a grant to a caller. A credential of an organization acts for that organization; one of a user sees the user's current
 * organizations.
 */
export function toCaller(grant: ActiveGrant, tokenId: string): Caller {
  const common = { token_id: tokenId, client_id: grant.client_id, user_id: grant.account_id }
  if (grant.sub_type === 'organization') {
    return { kind: 'organization', organization_id: grant.organization_id as string, ...common }
  }
  return { kind: 'user', organization_ids: grant.organization_ids, ...common }
}

/** Creates the error of RFC 6750 §3.1. Its text does not reveal which of the reasons applies. */
export function createInvalidTokenError(): InvalidToken {
  return new InvalidToken('The access token provided is expired, revoked, malformed, or invalid for other reasons.')
}

import type { Caller } from '@quittance/contracts/caller'
import { InvalidToken } from '@quittance/contracts/errors'

/**
 * Grants `g` that count now: not expired, the client still exists, and for an organization the person is still its member.
 * The rows of `grants` are believed, not what a token says of itself.
 */
export const standingGrants = `(
  select g.id, g.client_id, g.account_id, g.sub_type, g.organization_id
  from grants g join clients c on c.client_id = g.client_id and c.deleted_at is null
  where g.expires_at > now() and (g.organization_id is null or exists (
    select from members m where m.organization_id = g.organization_id and m.account_id = g.account_id))
) g`

/** Organizations the person of column `account` is a member of now. */
export function membershipsOf(account: string): string {
  return `array(select m.organization_id::text from members m where m.account_id = ${account})`
}

/** For whom a credential acts, as SQL tells it. */
export interface Standing {
  sub_type: 'organization' | 'user'
  organization_id: string | null
  account_id: string
  client_id: string | null
  /** Of the person, now. */
  organization_ids: string[]
}

/** A credential of an organization acts for that organization; one of a person sees what the person is a member of now. */
export function callerOf(standing: Standing, tokenId: string): Caller {
  const common = { token_id: tokenId, client_id: standing.client_id, user_id: standing.account_id }
  if (standing.sub_type === 'organization') {
    return { kind: 'organization', organization_id: standing.organization_id as string, ...common }
  }
  return { kind: 'user', organization_ids: standing.organization_ids, ...common }
}

/** The words of RFC 6750 §3.1; which of them it is, is told to nobody. */
export function invalidToken(): InvalidToken {
  return new InvalidToken('The access token provided is expired, revoked, malformed, or invalid for other reasons.')
}

import { Provider, type AdapterPayload } from 'oidc-provider'

/** A grant with the data checked at its use, as of when its token was read. */
export interface GrantRow {
  id: string
  account_id: string
  client_id: string
  sub_type: 'user' | 'organization'
  organization_id: string | null
  /** Null for a user's own grant; absent for a grant of this request, which is not read again. */
  organization_slug?: string | null
  payload: AdapterPayload
  email: string
  email_verified: boolean
  /** For a user's own grant always true; for an organization only while the user is a member. */
  is_member: boolean
}

/** A token to store. */
export interface TokenRow {
  hash: string
  payload: AdapterPayload
  /** Unix seconds. */
  expiresAt: number
}

/**
 * What one token request reads and will write. The statement that consumes a code or refresh token also stores what is issued for it, so
 * that a crash loses neither and exactly one of two requests wins.
 */
export interface UnitOfWork {
  /** By the monotonic clock of this process; null at endpoints that consume nothing. */
  startedAt: number | null
  /** Network address of the client. */
  address: string
  grants: Map<string, GrantRow>
  used: { table: 'authorization_codes' | 'refresh_tokens'; hash: string } | null
  /** The family began with a proof of possession, so every refresh needs one (RFC 9449 leaves this to the server). */
  needsProof: boolean
  accessToken: TokenRow | null
  refreshToken: TokenRow | null
}

/** Begins the unit of work of a request. */
export function beginUnitOfWork(
  state: Record<string, unknown>,
  { startedAt, address }: Pick<UnitOfWork, 'startedAt' | 'address'>,
): UnitOfWork {
  const unit: UnitOfWork = { startedAt, address, grants: new Map(), used: null, needsProof: false, accessToken: null, refreshToken: null }
  state['unitOfWork'] = unit
  return unit
}

/** Returns the unit of work of the current request; null outside of requests and at endpoints that issue nothing. */
export function currentUnitOfWork(): UnitOfWork | null {
  return (Provider.ctx?.state['unitOfWork'] as UnitOfWork | undefined) ?? null
}

import { Provider, type AdapterPayload } from 'oidc-provider'

/** A grant with what is asked of it at use, as it was when its token was read. */
export interface GrantRow {
  id: string
  account_id: string
  client_id: string
  sub_type: 'user' | 'organization'
  organization_id: string | null
  payload: AdapterPayload
  email: string
  email_verified: boolean
  /** For a user's own grant always true; for an organization only while the person is a member. */
  is_member: boolean
}

/** A token to be kept. */
export interface TokenRow {
  hash: string
  grantId: string
  payload: AdapterPayload
  /** Unix seconds. */
  expiresAt: number
}

/**
 * What one token request reads and wants to write. A code or refresh token is used up in the same statement that keeps what is
 * issued for it, so that a crash loses neither and of two requests exactly one wins.
 */
export interface UnitOfWork {
  /** Epoch milliseconds; null where nothing can be used up. */
  startedAt: number | null
  grants: Map<string, GrantRow>
  used: { table: 'authorization_codes' | 'refresh_tokens'; hash: string } | null
  /** The family began with a proof of possession, so it goes on with one (RFC 9449 leaves this to the server). */
  needsProof: boolean
  accessToken: TokenRow | null
  refreshToken: TokenRow | null
}

/** Begins one, for the request of this context. */
export function beginUnitOfWork(state: Record<string, unknown>, { startedAt }: Pick<UnitOfWork, 'startedAt'>): UnitOfWork {
  const unit: UnitOfWork = { startedAt, grants: new Map(), used: null, needsProof: false, accessToken: null, refreshToken: null }
  state['unitOfWork'] = unit
  return unit
}

/** The one of the request that is being answered; null outside of requests and at endpoints that issue nothing. */
export function currentUnitOfWork(): UnitOfWork | null {
  return (Provider.ctx?.state['unitOfWork'] as UnitOfWork | undefined) ?? null
}

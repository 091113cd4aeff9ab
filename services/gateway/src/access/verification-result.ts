import type { tokenRevoked } from '@quittance/contracts/auth'
import { callerCustomerId, type Caller, type CallerKind } from '@quittance/contracts/caller'
import { InvalidToken } from '@quittance/contracts/errors'
import type { PayloadOf } from '@quittance/contracts/event'
import type { PersonalScope } from '@quittance/contracts/scopes'

/** A verified caller: parsed once, sent with many requests. */
export interface VerifiedCredential {
  caller: Caller
  /** `caller` as JSON, for the header. */
  header: string
  scopes: ReadonlySet<PersonalScope>
  /** RFC 7638 thumbprint of the key the credential is bound to (RFC 9449 §6); null for a bearer credential. */
  keyThumbprint: string | null
  /** What a revocation can refer to besides the credential itself. */
  origin: CredentialOrigin
}

/** Origin of a credential; null for what it does not have. */
export interface CredentialOrigin {
  grantId: string | null
  clientId: string | null
  userId: string | null
  customerId: string | null
}

/** Result of verifying a credential and how long it may be cached. `null`: invalid. */
export interface VerificationResult {
  verified: VerifiedCredential | null
  /** Milliseconds. */
  ttlMs: number
}

/** Cache lifetime of a valid credential; a revocation ends it at every replica. */
const positiveTtlMs = 10_000
const negativeTtlMs = 1_000

/** Kinds of callers that a service may state: none, if compromised, becomes a caller of another kind. */
const callerKinds = { auth: ['organization', 'user', 'client'], orders: ['customer'] } satisfies Record<string, CallerKind[]>

/** Where a verified credential comes from. */
interface Verification {
  verifiedBy: keyof typeof callerKinds
  grantId: string | null
  /** Unix milliseconds. */
  expiresAt: number
}

/**
 * Returns a result that is cached for ten seconds, but never past the expiry.
 * @throws Error if the service states a caller that it has no authority over
 */
export function acceptCredential(
  verified: Omit<VerifiedCredential, 'header' | 'origin'>,
  { verifiedBy, grantId, expiresAt }: Verification,
): VerificationResult {
  const { caller } = verified
  assertAuthority(verifiedBy, caller)
  const origin = {
    grantId,
    clientId: 'client_id' in caller ? caller.client_id : null,
    userId: 'user_id' in caller ? caller.user_id : null,
    customerId: callerCustomerId(caller),
  }
  const ttlMs = Math.max(1, Math.min(positiveTtlMs, expiresAt - Date.now()))
  return { verified: { ...verified, header: JSON.stringify(caller), origin }, ttlMs }
}

function assertAuthority(service: keyof typeof callerKinds, { kind }: Caller): void {
  const kinds: readonly CallerKind[] = callerKinds[service]
  if (!kinds.includes(kind)) throw new Error(`The service ${service} verified a credential as a caller of the kind ${kind}`)
}

/** Invalid; cached for one second. */
export const rejectedCredential: VerificationResult = { verified: null, ttlMs: negativeTtlMs }

/** Uses the same sentence for every cause: the cause would only help attackers who guess. */
export function createInvalidTokenError(cause?: unknown): InvalidToken {
  return new InvalidToken('The access token provided is expired, revoked, malformed, or invalid for other reasons.', { cause })
}

export type Revocation = PayloadOf<typeof tokenRevoked>

/** Returns the keys that a revocation ends: a credential by its hash, or all of a grant, a client or a user. */
export function revokedKeys({ token_hash, grant_id, client_id, user_id }: Revocation): string[] {
  const origin = originKeys({ grantId: grant_id, clientId: client_id, userId: user_id })
  return token_hash ? [token_hash, ...origin] : origin
}

/** Returns the keys, besides the hash, by which a revocation can end credentials of this origin. */
export function originKeys(origin: Partial<CredentialOrigin>): string[] {
  return Object.entries(origin).flatMap(([kind, value]) => (value ? [`${kind} ${value}`] : []))
}

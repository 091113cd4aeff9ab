import type { tokenRevoked } from '@quittance/contracts/auth'
import { customerOf, type Caller } from '@quittance/contracts/caller'
import { InvalidToken } from '@quittance/contracts/errors'
import type { PayloadOf } from '@quittance/contracts/event'
import type { Scope } from '@quittance/contracts/scopes'

/** A caller as it travels on: parsed once, sent many times. */
export interface Verified {
  caller: Caller
  /** `caller` as JSON, for the header. */
  header: string
  scopes: ReadonlySet<Scope>
  /** RFC 7638 thumbprint of the key the credential is bound to (RFC 9449 §6); null for a bearer credential. */
  keyThumbprint: string | null
  /** What a revocation can name, besides the credential itself. */
  origin: Origin
}

/** Where a credential comes from; null where it has no such thing. */
export interface Origin {
  grantId: string | null
  clientId: string | null
  userId: string | null
  customerId: string | null
}

/** What is known of a credential, and for how long it is believed. Null: it is not valid. */
export interface Answer {
  verified: Verified | null
  /** Milliseconds. */
  ttlMs: number
}

/** A verified credential is believed for this long without asking again; a revocation cuts it short everywhere. */
const positiveTtlMs = 10_000
const negativeTtlMs = 1_000

/** Believed for ten seconds, never past its expiry (Unix milliseconds). */
export function believed(verified: Omit<Verified, 'header' | 'origin'>, about: { grantId: string | null; expiresAt: number }): Answer {
  const { caller } = verified
  const origin = {
    grantId: about.grantId,
    clientId: 'client_id' in caller ? caller.client_id : null,
    userId: 'user_id' in caller ? caller.user_id : null,
    customerId: customerOf(caller),
  }
  const ttlMs = Math.max(1, Math.min(positiveTtlMs, about.expiresAt - Date.now()))
  return { verified: { ...verified, header: JSON.stringify(caller), origin }, ttlMs }
}

/** Refused for a second without asking again. */
export const disbelieved: Answer = { verified: null, ttlMs: negativeTtlMs }

/** One sentence for all of them: which it is helps only those who guess. */
export function invalidToken(cause?: unknown): InvalidToken {
  return new InvalidToken('The access token provided is expired, revoked, malformed, or invalid for other reasons.', { cause })
}

export type Revocation = PayloadOf<typeof tokenRevoked>

/** What a revocation takes away: a credential, by its hash, or all of a grant, a client or a person. */
export function namesIn({ token_hash, grant_id, client_id, user_id }: Revocation): string[] {
  const origin = namesOf({ grantId: grant_id, clientId: client_id, userId: user_id })
  return token_hash ? [token_hash, ...origin] : origin
}

/** By what a revocation can take credentials of this origin away, besides by their hashes. */
export function namesOf(origin: Partial<Origin>): string[] {
  return Object.entries(origin).flatMap(([kind, value]) => (value ? [`${kind} ${value}`] : []))
}

import { tokenRevoked } from '@quittance/contracts/auth'
import { customerSessionEnded } from '@quittance/contracts/customer-sessions'
import { customerDeleted } from '@quittance/contracts/customers'
import { InvalidToken } from '@quittance/contracts/errors'
import type { BusIdentity } from '@quittance/runtime/bus/identity'
import { subscribeToEvent } from '@quittance/runtime/bus/subscribe-to-event'
import { hashToken, looksMinted } from '@quittance/runtime/credential'
import type { Logger } from '@quittance/runtime/logger'
import { onInterruption, type NatsConnection } from '@quittance/runtime/nats-connection'
import { createCredentialCache, type CredentialCache } from './credential-cache.ts'
import type { PresentedCredential } from './presented-credential.ts'
import {
  createInvalidTokenError,
  revokedKeys,
  originKeys,
  type VerificationResult,
  type VerifiedCredential,
} from './verification-result.ts'
import { verifyCustomerSession, verifyOpaque } from './verify-opaque.ts'
import { createProofVerifier } from './verify-dpop.ts'
import { createJwtVerifier } from './verify-jwt.ts'

/** Authenticates a credential. Throws `InvalidToken` or `InvalidDpopProof`. */
export interface Verifier {
  verify(presented: PresentedCredential): Promise<VerifiedCredential>
  /**
   * Evicts the user's credentials after a change that the user made through this gateway: the next request must see it and may arrive
   * before the event.
   */
  invalidateUser(userId: string): void
}

interface VerifierOptions {
  connection: NatsConnection
  identity: BusIdentity
  acceptsUnsigned: boolean
  log: Logger
  /** Public address of the API; issuer and audience of JWT access tokens. */
  baseUrl: string
}

const opaque = /^qt_(at|pat|oat|crt)_/
const customerSession = /^qt_cst_/
const jwt = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** Caches verified credentials by token hash until they expire; evicts them on revocation events, and all when it may miss such events. */
export function createVerifier(options: VerifierOptions): Verifier {
  const { connection, baseUrl } = options
  const cache = createCredentialCache()
  const verifyJwt = createJwtVerifier(connection, baseUrl)
  const verifyProof = createProofVerifier(baseUrl)
  subscribeToRevocations(options, cache)
  return {
    async verify(presented) {
      const verified = await authenticate(presented.token)
      const { keyThumbprint } = verified
      if (presented.scheme === 'bearer') {
        if (keyThumbprint !== null) throw new InvalidToken('The access token is bound to a key. Send it with the DPoP scheme and a proof.')
        return verified
      }
      if (keyThumbprint === null) throw new InvalidToken('The access token is not bound to a key. Send it with the Bearer scheme.')
      await verifyProof({ ...presented, keyThumbprint })
      return verified
    },
    invalidateUser: (userId) => cache.invalidate(originKeys({ userId })),
  }

  async function authenticate(token: string): Promise<VerifiedCredential> {
    const hash = hashToken(token)
    const verification = selectVerification(token, hash)
    const verified = verification && (await cache.getOrVerify(hash, verification))
    if (!verified) throw createInvalidTokenError()
    return verified
  }

  function selectVerification(token: string, hash: string): (() => Promise<VerificationResult>) | null {
    if (jwt.test(token)) return () => verifyJwt(token)
    if (!looksMinted(token)) return null
    if (customerSession.test(token)) return () => verifyCustomerSession(connection, hash)
    return opaque.test(token) ? () => verifyOpaque(connection, hash) : null
  }
}

function subscribeToRevocations(options: VerifierOptions, cache: CredentialCache): void {
  subscribeToEvent(options, tokenRevoked, (revoked) => cache.invalidate(revokedKeys(revoked)))
  subscribeToEvent(options, customerSessionEnded, ({ token_hash }) => cache.invalidate([token_hash]))
  subscribeToEvent(options, customerDeleted, ({ id }) => cache.invalidate(originKeys({ customerId: id })))
  // Revocations that are published while disconnected are missed.
  onInterruption(options.connection, () => cache.clear())
}

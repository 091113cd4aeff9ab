import { tokenRevoked } from '@quittance/contracts/auth'
import { customerDeleted } from '@quittance/contracts/customers'
import { InvalidToken } from '@quittance/contracts/errors'
import type { Event, PayloadOf } from '@quittance/contracts/event'
import { hashToken, looksMinted } from '@quittance/runtime/credential'
import type { Logger } from '@quittance/runtime/log'
import type { NatsConnection } from '@quittance/runtime/nats'
import { createMemory, type Memory } from './memory.ts'
import type { Presented } from './presented.ts'
import { invalidToken, namesIn, namesOf, type Answer, type Verified } from './verified.ts'
import { verifyCustomerSession } from './verify-customer-session.ts'
import { createProofVerifier } from './verify-dpop.ts'
import { createJwtVerifier } from './verify-jwt.ts'
import { verifyOpaque } from './verify-opaque.ts'

/** Tells who is behind a credential. Throws `InvalidToken` or `InvalidDpopProof`. */
export interface Verifier {
  verify(presented: Presented): Promise<Verified>
  /**
   * Asks anew about this person's credentials. For what they just changed about themselves through this gateway: the next request
   * must see it, and may come before the event does.
   */
  forgetPerson(userId: string): void
}

interface Surroundings {
  connection: NatsConnection
  log: Logger
  /** Public address of the API; issuer and audience of JWT access tokens. */
  baseUrl: string
}

const opaque = /^qt_(at|pat|oat|crt)_/
const customerSession = /^qt_cst_/
const jwt = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** Remembers verified credentials by their hash, never past their expiry, and forgets those whose owner says that they ended. */
export function createVerifier({ connection, log, baseUrl }: Surroundings): Verifier {
  const memory = createMemory()
  const verifyJwt = createJwtVerifier(connection, baseUrl)
  const verifyProof = createProofVerifier(baseUrl)
  hearRevocations(connection, { memory, log })
  return {
    async verify(presented) {
      const verified = await believe(presented.token)
      const { keyThumbprint } = verified
      if (presented.scheme === 'bearer') {
        if (keyThumbprint !== null) throw new InvalidToken('The access token is bound to a key: it takes the DPoP scheme and a proof.')
        return verified
      }
      if (keyThumbprint === null) throw new InvalidToken('The access token is not bound to a key: it takes the Bearer scheme.')
      await verifyProof({ ...presented, keyThumbprint })
      return verified
    },
    forgetPerson: (userId) => memory.forget(namesOf({ userId })),
  }

  async function believe(token: string): Promise<Verified> {
    const hash = hashToken(token)
    const ask = questionAbout(token, hash)
    const verified = ask && (await memory.recall(hash, ask))
    if (!verified) throw invalidToken()
    return verified
  }

  function questionAbout(token: string, hash: string): (() => Promise<Answer>) | null {
    if (jwt.test(token)) return () => verifyJwt(token)
    if (!looksMinted(token)) return null
    if (customerSession.test(token)) return () => verifyCustomerSession(connection, hash)
    return opaque.test(token) ? () => verifyOpaque(connection, hash) : null
  }
}

function hearRevocations(connection: NatsConnection, { memory, log }: { memory: Memory; log: Logger }): void {
  hear(tokenRevoked, namesIn)
  hear(customerDeleted, ({ id }) => namesOf({ customerId: id }))

  function hear<E extends Event>({ subject }: E, namesOfEnded: (payload: PayloadOf<E>) => string[]): void {
    connection.subscribe(subject, {
      callback(error, message) {
        if (error) return log.warn({ err: error }, 'revocation.not-heard')
        memory.forget(namesOfEnded(message.json()))
      },
    })
  }
}

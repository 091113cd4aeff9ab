import { tokenRevoked, verifyToken } from '@quittance/contracts/auth'
import type { Caller } from '@quittance/contracts/caller'
import { InvalidToken } from '@quittance/contracts/errors'
import type { Scope } from '@quittance/contracts/scopes'
import { hashToken } from '@quittance/runtime/credential'
import type { Logger } from '@quittance/runtime/log'
import type { NatsConnection } from '@quittance/runtime/nats'
import { call } from '@quittance/runtime/request'
import { LRUCache } from 'lru-cache'

/** A caller as it travels on: parsed once, sent many times. */
export interface Verified {
  caller: Caller
  /** `caller` as JSON, for the header. */
  header: string
  scopes: ReadonlySet<Scope>
}

/** Tells who is behind a credential. Throws `InvalidToken`. */
export interface Verifier {
  verify(token: string): Promise<Verified>
}

/** A verified credential is believed for this long without asking again; a revocation cuts it short everywhere. */
const positiveTtlMs = 10_000
const negativeTtlMs = 1_000
const cachedCredentials = 50_000

/** Remembers verified credentials by their hash, never past their expiry, and forgets those that auth says are revoked. */
export function createVerifier(connection: NatsConnection, log: Logger): Verifier {
  const cache = new LRUCache<string, { verified: Verified | null }>({
    max: cachedCredentials,
    ttl: positiveTtlMs,
    async fetchMethod(hash, _stale, { options }) {
      const { verified, ttlMs } = await ask(connection, hash)
      options.ttl = ttlMs
      return { verified }
    },
  })
  forgetRevoked(connection, { forget: (hash) => cache.delete(hash), log })
  return {
    async verify(token) {
      const hash = hashToken(token)
      // A revocation in the middle of the question aborts it: then the second answer is the true one.
      const found = await cache.fetch(hash).catch((error: unknown) => {
        if (error instanceof Error && error.message === 'deleted') return cache.fetch(hash)
        throw error
      })
      if (!found?.verified)
        throw new InvalidToken('The access token provided is expired, revoked, malformed, or invalid for other reasons.')
      return found.verified
    },
  }
}

async function ask(connection: NatsConnection, hash: string): Promise<{ verified: Verified | null; ttlMs: number }> {
  try {
    const { caller, scopes, expires_at } = await call(connection, {
      operation: verifyToken,
      request: { hash },
      caller: { kind: 'anonymous' },
    })
    const leftMs = expires_at ? Date.parse(expires_at) - Date.now() : Infinity
    return {
      verified: { caller, header: JSON.stringify(caller), scopes: new Set(scopes) },
      ttlMs: Math.max(1, Math.min(positiveTtlMs, leftMs)),
    }
  } catch (error) {
    if (error instanceof InvalidToken) return { verified: null, ttlMs: negativeTtlMs }
    throw error
  }
}

function forgetRevoked(connection: NatsConnection, { forget, log }: { forget(hash: string): void; log: Logger }): void {
  connection.subscribe(tokenRevoked.subject, {
    callback(error, message) {
      if (error) return log.warn({ err: error }, 'revocation.not-heard')
      forget(message.json<{ token_hash: string }>().token_hash)
    },
  })
}

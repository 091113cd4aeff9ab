import { listSigningKeys } from '@quittance/contracts/auth'
import { ApiError, ServiceUnavailable } from '@quittance/contracts/errors'
import type { NatsConnection } from '@quittance/runtime/nats'
import { call } from '@quittance/runtime/request'
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'

interface Patience {
  /** Age at which known keys are asked for again. */
  maxAgeMs: number
  /** Shortest time between two questions. Anybody can name keys that do not exist; that does not make auth busy. */
  retryMs: number
}

/**
 * The keys of auth, asked for when they are first needed, every five minutes, and when a token names one that is not known
 * (every ten seconds at most). When auth does not answer, the keys that are known stay good.
 */
export function createKeyRing(
  connection: NatsConnection,
  { maxAgeMs, retryMs }: Patience = { maxAgeMs: 300_000, retryMs: 10_000 },
): JWTVerifyGetKey {
  let ring: JWTVerifyGetKey | null = null
  let failure: ApiError | null = null
  let fetching: Promise<void> | null = null
  const last = { fetched: -Infinity, tried: -Infinity, missed: -Infinity }

  async function fetchKeys(): Promise<void> {
    last.tried = Date.now()
    try {
      const keys = await call(connection, { operation: listSigningKeys, request: {}, caller: { kind: 'anonymous' } })
      ring = createLocalJWKSet(keys as JSONWebKeySet)
      last.fetched = Date.now()
      failure = null
    } catch (error) {
      failure = error instanceof ApiError ? error : new ServiceUnavailable('The signing keys cannot be read.', { cause: error })
    }
  }

  async function refresh(): Promise<void> {
    fetching ??= fetchKeys().finally(() => (fetching = null))
    await fetching
  }

  async function find(...asked: Parameters<JWTVerifyGetKey>) {
    if (!ring) throw failure
    return ring(...asked)
  }

  return async (...asked) => {
    const now = Date.now()
    if (!ring || (now - last.fetched > maxAgeMs && now - last.tried > retryMs)) await refresh()
    try {
      return await find(...asked)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      if (!fetching && now - last.missed < retryMs) throw failure ?? error
      last.missed = now
      await refresh()
      if (failure) throw failure
      return find(...asked)
    }
  }
}

import { listSigningKeys } from '@quittance/contracts/auth'
import { ApiError, ServiceUnavailable } from '@quittance/contracts/errors'
import type { NatsConnection } from '@quittance/runtime/nats-connection'
import { call } from '@quittance/runtime/rpc-client'
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'

interface RefreshOptions {
  /** Age at which the keys are fetched again. */
  maxAgeMs: number
  /** Minimum time between two requests, so that tokens with made-up key ids put no load on auth. */
  retryMs: number
}

/**
 * Returns a lookup of auth's public keys. It fetches them on first use, every five minutes, and when a token names an unknown key (at most
 * every ten seconds). If auth is unavailable, known keys stay valid.
 */
export function createKeySet(
  connection: NatsConnection,
  { maxAgeMs, retryMs }: RefreshOptions = { maxAgeMs: 300_000, retryMs: 10_000 },
): JWTVerifyGetKey {
  let keySet: JWTVerifyGetKey | null = null
  let failure: ApiError | null = null
  let fetching: Promise<void> | null = null
  const last = { fetched: -Infinity, attempted: -Infinity, missed: -Infinity }

  async function fetchKeys(): Promise<void> {
    last.attempted = Date.now()
    try {
      const keys = await call(connection, { operation: listSigningKeys, request: {}, caller: { kind: 'anonymous' } })
      keySet = createLocalJWKSet(keys as JSONWebKeySet)
      last.fetched = Date.now()
      failure = null
    } catch (error) {
      failure = error instanceof ApiError ? error : new ServiceUnavailable('The signing keys are unavailable.', { cause: error })
    }
  }

  async function refresh(): Promise<void> {
    fetching ??= fetchKeys().finally(() => (fetching = null))
    await fetching
  }

  async function find(...lookup: Parameters<JWTVerifyGetKey>) {
    if (!keySet) throw failure
    return keySet(...lookup)
  }

  return async (...lookup) => {
    const now = Date.now()
    if (!keySet || (now - last.fetched > maxAgeMs && now - last.attempted > retryMs)) await refresh()
    try {
      return await find(...lookup)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      if (!fetching && now - last.missed < retryMs) throw failure ?? error
      last.missed = now
      await refresh()
      if (failure) throw failure
      return find(...lookup)
    }
  }
}

import type { Logger } from '@quittance/runtime/logger'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { createSharedRateLimiter, type SharedRateLimiter } from './shared-rate-limiter.ts'

/** Remaining quota of a key, for the `RateLimit` headers. */
export interface Quota {
  limit: number
  remaining: number
  /** Seconds until the quota is reset. */
  resetSeconds: number
  isExceeded: boolean
}

/** Counts requests by a key: the network of a client, or an account. */
export interface RateLimit {
  /** Counts one request; null without a limit. */
  count(key: string): Promise<Quota | null>
  close(): Promise<void>
}

interface RateLimitOptions {
  /** Requests per second and key; 0 for no limit. */
  perSecond: number
  /** Valkey or Redis for a count shared by all replicas. */
  storeUrl?: string | undefined
  /** Timeout of the store in milliseconds, which every request waits for first; default 100. */
  storeTimeoutMs?: number
  log: Logger
}

/**
 * Creates a rate limit with windows of one second that begin with the first request of a key. Counts per process without a store, and
 * while the store is unavailable.
 */
export function createRateLimit({ perSecond, storeUrl, storeTimeoutMs = 100, log }: RateLimitOptions): RateLimit {
  if (perSecond === 0) return { count: async () => null, close: async () => {} }
  const local = new RateLimiterMemory({ points: perSecond, duration: 1 })
  const shared: SharedRateLimiter | null = storeUrl ? createSharedRateLimiter({ perSecond, storeUrl, storeTimeoutMs, log }) : null

  async function consume(key: string): Promise<RateLimiterRes> {
    try {
      return (await shared?.consume(key)) ?? (await local.consume(key))
    } catch (rejection) {
      // The library rejects with the result if the limit is exceeded.
      if (rejection instanceof RateLimiterRes) return rejection
      throw rejection
    }
  }

  return {
    async count(key) {
      const { consumedPoints, msBeforeNext } = await consume(key)
      return {
        limit: perSecond,
        remaining: Math.max(0, perSecond - consumedPoints),
        resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)),
        isExceeded: consumedPoints > perSecond,
      }
    },
    close: async () => shared?.close(),
  }
}

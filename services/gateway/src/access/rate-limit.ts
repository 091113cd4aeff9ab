import type { Logger } from '@quittance/runtime/log'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { countedAddress } from './counted-address.ts'
import { createSharedCount, type SharedCount } from './shared-count.ts'

/** What an address may still do; for the `RateLimit` headers. */
export interface Quota {
  limit: number
  remaining: number
  /** Seconds until there is more. */
  resetSeconds: number
  isRefused: boolean
}

/** Counts requests by address. */
export interface RateLimit {
  /** Counts one request; null where nothing is counted. */
  count(address: string): Promise<Quota | null>
  close(): Promise<void>
}

interface RateLimitOptions {
  /** Requests per second and address; 0 counts nothing. */
  perSecond: number
  /** Valkey or Redis, where replicas count together. */
  storeUrl?: string | undefined
  log: Logger
}

/**
 * Windows of one second that begin with the first request of an address. Per process, unless there is a store; while that does not
 * answer, each process counts alone.
 */
export function createRateLimit({ perSecond, storeUrl, log }: RateLimitOptions): RateLimit {
  if (perSecond === 0) return { count: async () => null, close: async () => {} }
  const local = new RateLimiterMemory({ points: perSecond, duration: 1 })
  const shared: SharedCount | null = storeUrl ? createSharedCount({ perSecond, storeUrl, log }) : null

  async function consume(key: string): Promise<RateLimiterRes> {
    try {
      return (await shared?.consume(key)) ?? (await local.consume(key))
    } catch (refused) {
      // The library rejects with the result when the limit is passed.
      if (refused instanceof RateLimiterRes) return refused
      throw refused
    }
  }

  return {
    async count(address) {
      const { consumedPoints, msBeforeNext } = await consume(countedAddress(address))
      return {
        limit: perSecond,
        remaining: Math.max(0, perSecond - consumedPoints),
        resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)),
        isRefused: consumedPoints > perSecond,
      }
    },
    close: async () => shared?.close(),
  }
}

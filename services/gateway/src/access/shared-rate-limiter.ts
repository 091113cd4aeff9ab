import { counter } from '@quittance/runtime/metrics'
import type { Logger } from '@quittance/runtime/logger'
import { Redis } from 'ioredis'
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'

/** Rate limiter shared by all replicas, in Valkey or Redis. */
export interface SharedRateLimiter {
  /** Counts one request; rejects with the result if the limit is exceeded. Null: the store is unavailable. */
  consume(key: string): Promise<RateLimiterRes | null>
  close(): Promise<void>
}

interface SharedCountOptions {
  perSecond: number
  storeUrl: string
  storeTimeoutMs: number
  log: Logger
}

/** Time without calls to a store that failed, so that a frozen store does not cost every request the timeout. */
const skipAfterFailureMs = 1_000

const failures = counter(
  'rate_limit_store_failures_total',
  'Number of requests counted by this replica alone because the rate limit store failed.',
)

export function createSharedRateLimiter({ perSecond, storeUrl, storeTimeoutMs, log }: SharedCountOptions): SharedRateLimiter {
  const client = new Redis(storeUrl, {
    connectTimeout: 2_000,
    commandTimeout: storeTimeoutMs,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempts) => Math.min(attempts * 100, skipAfterFailureMs),
  })
  // Failing requests report the error; without a listener the client writes to the console.
  client.on('error', () => {})
  const limiter = new RateLimiterRedis({
    storeClient: client,
    points: perSecond,
    duration: 1,
    keyPrefix: 'quittance:rate-limit',
    // A rejected address is rejected from memory until its window ends.
    inMemoryBlockOnConsumed: perSecond,
    rejectIfRedisNotReady: true,
  })
  let skipUntil = 0
  let isUnavailable = false

  function recordFailure(error: unknown): null {
    failures.inc()
    skipUntil = Date.now() + skipAfterFailureMs
    if (!isUnavailable) log.warn({ err: error }, 'rate-limit.store-unavailable')
    isUnavailable = true
    return null
  }

  return {
    async consume(key) {
      if (Date.now() < skipUntil) {
        failures.inc()
        return null
      }
      try {
        const result = await limiter.consume(key)
        if (isUnavailable) log.info({}, 'rate-limit.store-recovered')
        isUnavailable = false
        return result
      } catch (error) {
        if (error instanceof RateLimiterRes) throw withCount(error, perSecond)
        return recordFailure(error)
      }
    },
    close: async () => client.disconnect(),
  }
}

/** Adds the count, which a rejection from memory lacks. */
function withCount({ consumedPoints, msBeforeNext }: RateLimiterRes, perSecond: number): RateLimiterRes {
  return new RateLimiterRes(0, msBeforeNext, Math.max(consumedPoints, perSecond + 1))
}

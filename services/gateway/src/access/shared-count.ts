import { countOf } from '@quittance/runtime/health'
import type { Logger } from '@quittance/runtime/log'
import { Redis } from 'ioredis'
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'

/** One count for all replicas, in Valkey or Redis. */
export interface SharedCount {
  /** Counts one request; rejects with the result when the limit is passed. Null: the store does not answer. */
  consume(key: string): Promise<RateLimiterRes | null>
  close(): Promise<void>
}

interface SharedCountOptions {
  perSecond: number
  storeUrl: string
  log: Logger
}

/** Longest wait for the store: a request waits for it before anything else. */
const patienceMs = 100
/** How long a store that failed is not asked: one that is frozen would cost every request the whole patience. */
const restMs = 1_000

const failures = countOf('rate_limit_store_failures_total', 'Requests that were counted by this process alone, because the store failed.')

export function createSharedCount({ perSecond, storeUrl, log }: SharedCountOptions): SharedCount {
  const client = new Redis(storeUrl, {
    connectTimeout: 2_000,
    commandTimeout: patienceMs,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempts) => Math.min(attempts * 100, restMs),
  })
  // Told by the requests that fail; without a listener the client writes to the console.
  client.on('error', () => {})
  const limiter = new RateLimiterRedis({
    storeClient: client,
    points: perSecond,
    duration: 1,
    keyPrefix: 'quittance:rate-limit',
    // An address that is refused is refused from memory until its window ends.
    inMemoryBlockOnConsumed: perSecond,
    rejectIfRedisNotReady: true,
  })
  let restsUntil = 0
  let isAway = false

  function note(error: unknown): null {
    failures.inc()
    restsUntil = Date.now() + restMs
    if (!isAway) log.warn({ err: error }, 'rate-limit.store-away')
    isAway = true
    return null
  }

  return {
    async consume(key) {
      if (Date.now() < restsUntil) {
        failures.inc()
        return null
      }
      try {
        const counted = await limiter.consume(key)
        if (isAway) log.info({}, 'rate-limit.store-back')
        isAway = false
        return counted
      } catch (error) {
        if (error instanceof RateLimiterRes) throw inFull(error, perSecond)
        return note(error)
      }
    },
    close: async () => client.disconnect(),
  }
}

/** What is refused from memory comes without the count. */
function inFull({ consumedPoints, msBeforeNext }: RateLimiterRes, perSecond: number): RateLimiterRes {
  return new RateLimiterRes(0, msBeforeNext, Math.max(consumedPoints, perSecond + 1))
}

import { TooManyRequests } from '@quittance/contracts/errors'
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'

/** What the caller may still do; for the `RateLimit` headers. */
export interface Quota {
  limit: number
  remaining: number
}

/** Counts one request of an address, or refuses it. */
export type RateLimit = (address: string) => Promise<Quota | null>

/** Requests per second and address; 0 counts nothing. Per process: replicas do not share the count yet. */
export function createRateLimit(perSecond: number): RateLimit {
  if (perSecond === 0) return async () => null
  const limiter = new RateLimiterMemory({ points: perSecond, duration: 1 })
  return async (address) => {
    try {
      const { remainingPoints } = await limiter.consume(unmapped(address))
      return { limit: perSecond, remaining: remainingPoints }
    } catch (refused) {
      const seconds = Math.max(1, Math.ceil((refused as RateLimiterRes).msBeforeNext / 1000))
      throw new TooManyRequests(`More than ${perSecond} requests per second from one address.`, seconds)
    }
  }
}

/** IPv4 clients of a dual-stack socket come as `::ffff:a.b.c.d`. */
function unmapped(address: string): string {
  return address.startsWith('::ffff:') ? address.slice(7) : address
}

import { TooManyRequests } from '@quittance/contracts/errors'
import { clientNetwork } from '@quittance/runtime/client-network'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import type { RateLimit } from '../access/rate-limit.ts'

/** Limits on requests: of an address, and of the object of a route with a raw body. */
export interface RequestLimits {
  byAddress: RateLimit
  byObject: RateLimit
  /** Requests with a raw body from one address that may be rejected within a second; 0 for no limit. */
  maxRejected: number
}

/** Creates the functions that count a request before it is handled and after it was answered. */
export function createRequestCounter({ byAddress, byObject, maxRejected }: RequestLimits) {
  const rejected = maxRejected > 0 ? new RateLimiterMemory({ points: maxRejected, duration: 1 }) : null

  /**
   * Few addresses send the events of all accounts, so an event counts for its account. Against forged ones, those that were rejected count for
   * their address.
   */
  async function countObject(request: FastifyRequest): Promise<void> {
    const network = clientNetwork(request.clientIp)
    const failures = await rejected?.get(network)
    if (failures && failures.consumedPoints >= maxRejected) {
      throw new TooManyRequests('Too many rejected requests from one address.', Math.max(1, Math.ceil(failures.msBeforeNext / 1000)))
    }
    const quota = await byObject.count(`${request.routeOptions.url} ${JSON.stringify(request.params)}`)
    if (quota?.isExceeded) throw new TooManyRequests(`More than ${quota.limit} requests per second for one object.`, quota.resetSeconds)
  }

  return {
    async before(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      if (request.routeOptions.config.http?.raw) return countObject(request)
      const quota = await byAddress.count(clientNetwork(request.clientIp))
      if (!quota) return
      reply.header('ratelimit-policy', `"ip";q=${quota.limit};w=1`)
      reply.header('ratelimit', `"ip";r=${quota.remaining};t=${quota.resetSeconds}`)
      if (quota.isExceeded) throw new TooManyRequests(`More than ${quota.limit} requests per second from one address.`, quota.resetSeconds)
    },
    async after(request: FastifyRequest, status: number): Promise<void> {
      if (request.routeOptions.config.http?.raw && status >= 400 && status < 500 && status !== 429) {
        await rejected?.penalty(clientNetwork(request.clientIp))
      }
    },
  }
}

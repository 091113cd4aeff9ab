import { TooManyRequests } from '@quittance/contracts/errors'
import type { HttpBinding } from '@quittance/contracts/operation'
import { startSpan, type Span } from '@quittance/runtime/trace'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { RateLimit } from '../access/rate-limit.ts'
import type { Cors } from './cors.ts'
import type { Pressure } from './pressure.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Which credential, for the access log; never the credential itself. */
    tokenId: string | null
    /** W3C trace context of this request: the client's trace goes on, or one begins. */
    traceparent: string
    /** The step of that trace that this request is. */
    span: Span
  }
  interface FastifyContextConfig {
    /** Of an operation of the contracts. */
    http?: HttpBinding
    /** Asked by machines that watch over this one: answered whatever else is going on. */
    isProbe?: boolean
    /** Another service answers, with headers of its own. */
    isPassedOn?: boolean
  }
}

interface EntranceOptions {
  rateLimit: RateLimit
  pressure: Pressure
  cors: Cors
  /** Sent with every answer of the gateway's own. */
  fields: Record<string, string>
  /** Every answer ends its connection then: the next request goes where a balancer sends it. */
  isStopping: () => boolean
}

/** What every request meets first, in this order: its names, the limit of its address, the limit of the house. */
export function addEntrance(app: FastifyInstance, { rateLimit, pressure, cors, fields, isStopping }: EntranceOptions): void {
  app.decorateRequest('tokenId', null)
  app.decorateRequest('traceparent', '')
  app.decorateRequest('span', null as unknown as Span)
  app.addHook('onRequest', async (request, reply) => {
    const { isProbe, isPassedOn } = request.routeOptions.config
    request.span = startSpan(`${request.method} ${request.routeOptions.url ?? 'none'}`, 'server', traceparentOf(request))
    request.traceparent = request.span.traceparent
    reply.header('x-request-id', request.id)
    reply.header('traceresponse', request.traceparent)
    if (!isPassedOn) {
      reply.headers(fields)
      cors(request, reply)
    }
    if (isStopping()) reply.header('connection', 'close')
    if (isProbe) return
    const quota = await rateLimit.count(request.ip)
    if (quota) {
      reply.header('ratelimit-policy', `"ip";q=${quota.limit};w=1`)
      reply.header('ratelimit', `"ip";r=${quota.remaining};t=${quota.resetSeconds}`)
      if (quota.isRefused) {
        throw new TooManyRequests(`More than ${quota.limit} requests per second from one address.`, quota.resetSeconds)
      }
    }
    pressure.enter(reply.raw)
  })
}

function traceparentOf({ headers: { traceparent } }: FastifyRequest): string | undefined {
  return typeof traceparent === 'string' ? traceparent : undefined
}

/** Headers that cost nothing and forbid browsers to make more of an answer than it is. */
export function protectiveFields(baseUrl: string): Record<string, string> {
  return {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    ...(baseUrl.startsWith('https:') && { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }),
  }
}

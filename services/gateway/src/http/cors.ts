import type { FastifyReply, FastifyRequest } from 'fastify'

/** What a page may send. `*` would not cover `Authorization`. */
const allowedHeaders =
  'Authorization, Content-Type, Accept, DPoP, Idempotency-Key, If-None-Match, X-Request-Id, Traceparent, Tracestate, Baggage'
/** What a page may read, besides the few that every page may. */
const exposedHeaders =
  'X-Request-Id, Traceresponse, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, ETag, Deprecation, Link, Content-Disposition'
/** Longest that browsers believe a preflight. */
const maxAgeSeconds = 7_200

/** Tells browsers which pages may read answers. No cookie opens the API, so any page may, unless told otherwise. */
export type Cors = (request: FastifyRequest, reply: FastifyReply) => void

/** @param origins `*`, or the origins of the pages; none for no page. */
export function createCors(origins: readonly string[]): Cors {
  const isAny = origins.includes('*')
  return (request, reply) => {
    const { origin } = request.headers
    if (isAny) reply.header('access-control-allow-origin', '*')
    else if (origins.length > 0) reply.header('vary', 'Origin')
    if (!origin) return
    if (!isAny) {
      if (!origins.includes(origin)) return
      reply.header('access-control-allow-origin', origin)
    }
    reply.header('access-control-expose-headers', exposedHeaders)
  }
}

/** Answers `OPTIONS`: which methods there are, and to a page that asks first what it may send. */
export function answerOptions(allowed: readonly string[]) {
  const methods = allowed.join(', ')
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (request.headers['access-control-request-method'] && reply.hasHeader('access-control-allow-origin')) {
      reply.headers({
        'access-control-allow-methods': methods,
        'access-control-allow-headers': allowedHeaders,
        'access-control-max-age': maxAgeSeconds,
      })
    }
    return reply.header('allow', methods).code(204).send()
  }
}

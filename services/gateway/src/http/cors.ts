import type { FastifyReply, FastifyRequest } from 'fastify'

/** Headers that a page may send. `*` would not cover `Authorization`. */
const allowedHeaders =
  'Authorization, Content-Type, Accept, DPoP, Idempotency-Key, If-None-Match, Polar-Organization, Polar-Version, X-Request-Id, Traceparent, Tracestate, Baggage'
/** Headers that a page may read besides those that every page may. */
const exposedHeaders =
  'X-Request-Id, Traceresponse, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, ETag, Deprecation, Link, Content-Disposition'
/** Maximum time that browsers cache a preflight. */
const maxAgeSeconds = 7_200

/** Sets the CORS headers that allow pages to read responses. The API accepts no cookies, so by default any page may read them. */
export type Cors = (request: FastifyRequest, reply: FastifyReply) => void

/** @param origins `*`, or the origins of the pages; empty for no page. */
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

/** Removes the headers again from a reply that another service answers, which decides by client who may read it. */
export function removeCors(reply: FastifyReply): void {
  for (const name of ['access-control-allow-origin', 'access-control-expose-headers', 'vary']) reply.removeHeader(name)
}

/** Answers `OPTIONS` with the allowed methods and, for a preflight, the allowed headers. */
export function createOptionsHandler(allowed: readonly string[]) {
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

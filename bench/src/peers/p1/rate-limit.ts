import type { onRequestHookHandler } from 'fastify'

/** Allows a hundred requests per second and address, counted in memory by fixed windows. */
export function limitRate(perSecond: number): onRequestHookHandler {
  let window = 0
  let counts = new Map<string, number>()
  return (request, reply, done) => {
    const current = Math.floor(Date.now() / 1000)
    if (current !== window) {
      window = current
      counts = new Map()
    }
    const count = (counts.get(request.ip) ?? 0) + 1
    counts.set(request.ip, count)
    reply.header('x-ratelimit-limit', perSecond).header('x-ratelimit-remaining', Math.max(0, perSecond - count))
    if (count <= perSecond) return done()
    reply.code(429).header('retry-after', 1).send({ error: 'TooManyRequests' })
  }
}

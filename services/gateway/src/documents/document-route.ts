import { ServiceUnavailable } from '@quittance/contracts/errors'
import { invoiceDocumentPath } from '@quittance/contracts/invoices'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Pool } from 'undici'

/** Request headers a download may carry on; nothing else of the client reaches the service. */
const passedOn = ['range', 'if-none-match', 'if-range'] as const
/** Reply headers a download carries back. */
const carriedBack = [
  'content-type',
  'content-length',
  'content-disposition',
  'content-range',
  'accept-ranges',
  'etag',
  'cache-control',
  'x-content-type-options',
]

/**
 * Streams documents from the invoices service. The link itself is the permission: it is signed and short-lived, so no bearer
 * is asked for, and a document never travels in a NATS reply.
 */
export function addDocumentRoute(app: FastifyInstance, origins: readonly string[]): () => Promise<void> {
  const pools = origins.map((origin) => new Pool(origin, { connections: 32, headersTimeout: 10_000, bodyTimeout: 30_000, allowH2: false }))
  let next = 0
  app.route<{ Params: { id: string } }>({
    method: ['GET', 'HEAD'],
    url: `${invoiceDocumentPath}/:id`,
    async handler(request, reply) {
      const path = `/documents/${encodeURIComponent(request.params.id)}?${request.url.split('?')[1] ?? ''}`
      for (let tried = 0; tried < pools.length; tried++) {
        const pool = pools[next++ % pools.length] as Pool
        const answer = await ask(pool, { path, request }).catch(() => null)
        if (answer) return pass(answer, reply)
      }
      throw new ServiceUnavailable('The invoices service is not running.')
    },
  })
  return async () => {
    await Promise.all(pools.map((pool) => pool.close()))
  }
}

function ask(pool: Pool, { path, request }: { path: string; request: FastifyRequest }) {
  const headers: Record<string, string> = { 'x-request-id': request.id }
  for (const name of passedOn) {
    const value = request.headers[name]
    if (typeof value === 'string') headers[name] = value
  }
  return pool.request({ method: request.method as 'GET' | 'HEAD', path, headers })
}

function pass(answer: Awaited<ReturnType<Pool['request']>>, reply: FastifyReply): FastifyReply {
  for (const name of carriedBack) {
    const value = answer.headers[name]
    if (value !== undefined) reply.header(name, value)
  }
  return reply.code(answer.statusCode).send(answer.body)
}

import { ServiceUnavailable } from '@quittance/contracts/errors'
import { invoiceDocumentPath } from '@quittance/contracts/invoices'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { UpstreamAnswer, Upstream } from '../http/upstream.ts'

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
export function addDocumentRoute(app: FastifyInstance, upstream: Upstream): void {
  app.route<{ Params: { id: string } }>({
    method: ['GET', 'HEAD'],
    url: `${invoiceDocumentPath}/:id`,
    config: { isPassedOn: true },
    async handler(request, reply) {
      const path = `/documents/${encodeURIComponent(request.params.id)}?${request.url.split('?')[1] ?? ''}`
      const answer = await upstream.ask({ method: request.method as 'GET' | 'HEAD', path, headers: headersOf(request) })
      if (answer) return pass(answer, reply)
      throw new ServiceUnavailable('The invoices service is not running.')
    },
  })
}

function headersOf(request: FastifyRequest): Record<string, string> {
  const headers: Record<string, string> = { 'x-request-id': request.id }
  for (const name of passedOn) {
    const value = request.headers[name]
    if (typeof value === 'string') headers[name] = value
  }
  return headers
}

function pass(answer: UpstreamAnswer, reply: FastifyReply): FastifyReply {
  for (const name of carriedBack) {
    const value = answer.headers[name]
    if (value !== undefined) reply.header(name, value)
  }
  return reply.code(answer.statusCode).send(answer.body)
}

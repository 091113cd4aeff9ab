import { ServiceUnavailable, TooManyRequests } from '@quittance/contracts/errors'
import { invoiceDocumentPath } from '@quittance/contracts/invoices'
import { clientNetwork } from '@quittance/runtime/client-network'
import { createHeldCounts } from '@quittance/runtime/held-counts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { UpstreamResponse, Upstream } from '../http/upstream.ts'

/** Request headers forwarded with a download; no other header of the client reaches the service. */
const forwardedRequestHeaders = ['range', 'if-none-match', 'if-range'] as const
/** Response headers of a download that are returned to the client. */
const forwardedReplyHeaders = [
  'content-type',
  'content-length',
  'content-disposition',
  'content-range',
  'accept-ranges',
  'etag',
  'cache-control',
  'x-content-type-options',
]

/** Downloads of one client network in progress: a document stays in memory until its client has read it. */
const maxPerNetwork = 16

/**
 * Forwards documents from the invoices service. The signed, short-lived link is the authorization, so no bearer token is required. Documents
 * are never sent in a NATS reply.
 */
export function addDocumentRoute(app: FastifyInstance, upstream: Upstream): void {
  const inProgress = createHeldCounts()

  /** Counts a download until its response is closed. */
  function begin({ clientIp }: FastifyRequest, { raw }: FastifyReply): void {
    const network = clientNetwork(clientIp)
    if (inProgress.count(network) >= maxPerNetwork)
      throw new TooManyRequests(`More than ${maxPerNetwork} downloads of one address are in progress.`, 1)
    inProgress.add(network, 1)
    raw.once('close', () => inProgress.add(network, -1))
  }

  app.route<{ Params: { id: string } }>({
    method: ['GET', 'HEAD'],
    url: `${invoiceDocumentPath}/:id`,
    config: { isProxied: true },
    async handler(request, reply) {
      begin(request, reply)
      const path = `/documents/${encodeURIComponent(request.params.id)}?${request.url.split('?')[1] ?? ''}`
      const response = await upstream.request({ method: request.method as 'GET' | 'HEAD', path, headers: buildHeaders(request) })
      if (response) return sendResponse(response, reply)
      throw new ServiceUnavailable('The invoices service is not running.')
    },
  })
}

function buildHeaders(request: FastifyRequest): Record<string, string> {
  const headers: Record<string, string> = { 'x-request-id': request.id }
  for (const name of forwardedRequestHeaders) {
    const value = request.headers[name]
    if (typeof value === 'string') headers[name] = value
  }
  return headers
}

function sendResponse(response: UpstreamResponse, reply: FastifyReply): FastifyReply {
  for (const name of forwardedReplyHeaders) {
    const value = response.headers[name]
    if (value !== undefined) reply.header(name, value)
  }
  return reply.code(response.statusCode).send(response.body)
}

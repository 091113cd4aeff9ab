import type { HttpBinding, Operation } from '@quittance/contracts/operation'
import { startSpan, type Span } from '@quittance/runtime/tracing'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Cors } from '../http/cors.ts'
import { clientNetwork } from '@quittance/runtime/client-network'
import type { LoadShedder } from '../http/load-shedding.ts'
import { assertOneHost } from '../http/request-target.ts'
import type { RequestArrivals } from '../http/request-arrivals.ts'
import type { ResponseBytes } from '../http/response-bytes.ts'
import { createRequestCounter, type RequestLimits } from './count-request.ts'
import { histogram } from '@quittance/runtime/metrics'

declare module 'fastify' {
  interface FastifyRequest {
    /** Id of the credential for the access log; never the credential itself. */
    tokenId: string | null
    /** W3C trace context of this request: a child of the client's trace, or a new one. */
    traceparent: string
    /** Span of this request. */
    span: Span
  }
  interface FastifyContextConfig {
    /** Binding of the operation. */
    http?: HttpBinding
    /** Error for an invalid body, if the operation defines its own. */
    invalid?: Operation['invalid']
    /** Health probe: exempt from the rate limit and load shedding. */
    isProbe?: boolean
    /** Sends the same body to every request: it is compressed once. */
    isConstant?: boolean
    /** Proxied to another service, which sets its own headers. */
    isProxied?: boolean
    /** Proxied, but failures of the gateway have CORS headers. */
    hasCors?: boolean
  }
}

interface RequestHookOptions {
  limits: RequestLimits & { responseBytes: ResponseBytes }
  loadShedder: LoadShedder
  arrivals: RequestArrivals
  cors: Cors
  /** Headers of every response of the gateway itself. */
  fields: Record<string, string>
  /** Headers of every response, including those of other services. */
  transportFields: Record<string, string>
  /** While true, every response closes its connection, so that the load balancer routes the next request elsewhere. */
  isStopping: () => boolean
}

/** Adds the hooks of every request, in this order: request id and trace, common headers, rate limit of its address or object, overload, unfinished requests of its network, place among the requests in progress. */
export function addRequestHooks(
  app: FastifyInstance,
  { limits, loadShedder, arrivals, cors, fields, transportFields, isStopping }: RequestHookOptions,
): void {
  const counter = createRequestCounter(limits)
  const { responseBytes } = limits
  app.decorateRequest('tokenId', null)
  app.decorateRequest('traceparent', '')
  app.decorateRequest('span', null as unknown as Span)
  app.addHook('onRequest', async (request, reply) => {
    const { isProbe, isProxied, hasCors } = request.routeOptions.config
    request.span = startSpan(`${request.method} ${request.routeOptions.url ?? 'none'}`, 'server', readTraceparent(request))
    request.traceparent = request.span.traceparent
    reply.header('x-request-id', request.id)
    reply.header('traceresponse', request.traceparent)
    reply.headers(transportFields)
    if (!isProxied) reply.headers(fields)
    if (!isProxied || hasCors) cors(request, reply)
    if (isStopping()) reply.header('connection', 'close')
    arrivals.begin(reply.raw, request.clientIp)
    if (isProbe) return
    await counter.before(request, reply)
    assertOneHost(request.raw)
    loadShedder.assertResponsive()
    arrivals.assertFew(reply.raw, request.clientIp)
    if (request.method === 'GET') responseBytes.assertFew(request.clientIp)
  })
  // Whatever the response is: without a limit, Node reads what is left of the body to its end.
  app.addHook('onSend', async ({ clientIp }, reply) => arrivals.discard(reply.raw, clientIp))
  app.addHook('onSend', async ({ method, clientIp: address, routeOptions }, { raw }, payload) => {
    // The body of a constant route is shared by its responses, and a stream is read as its client reads. What a write did is always reported.
    const isOwn = payload instanceof Uint8Array && !routeOptions.config.isConstant
    if (isOwn && method === 'GET') responseBytes.count(raw, { address, bytes: payload.length })
  })
  app.addHook('onResponse', (request, reply) => counter.after(request, reply.statusCode))
  // Only now: a body that never arrives must not take a place from others.
  app.addHook('preHandler', async (request, reply) => {
    if (!request.routeOptions.config.isProbe) loadShedder.admit(reply.raw, clientNetwork(request.clientIp))
  })
}

function readTraceparent({ headers: { traceparent } }: FastifyRequest): string | undefined {
  return typeof traceparent === 'string' ? traceparent : undefined
}

/** Headers that prevent browsers from interpreting a response as anything else. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}

/**
 * Returns HSTS if a public address is https, also for pages, `/oauth2/*` and `/.well-known/*`, which auth serves. Browsers ignore it over
 * http (RFC 6797 §8.1), so it has no effect on an address that is not https.
 */
export function transportFields(...publicUrls: readonly string[]): Record<string, string> {
  return publicUrls.some((url) => url.startsWith('https:')) ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' } : {}
}

const duration = histogram('http_request_duration_seconds', 'Duration of client requests in seconds, by method, route and status.', {
  labels: ['method', 'route', 'status'],
  buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
})

/** Ends the span. Only 5xx marks it as failed, client errors do not (OpenTelemetry HTTP semantic conventions). */
function endSpan({ span, method, routeOptions }: FastifyRequest, status: number): void {
  const attributes = { 'http.request.method': method, 'http.route': routeOptions.url ?? 'none', 'http.response.status_code': status }
  // A request rejected before its first hook has no span.
  span?.end({ attributes, ...(status >= 500 && { failed: status }) })
}

/** Writes one log line and one metric observation per completed request, with route names but never URLs or query strings. */
export function addAccessLog(app: FastifyInstance): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { method } = request
    const route = request.routeOptions.url
    const status = reply.statusCode
    endSpan(request, status)
    duration.observe({ method, route: route ?? 'none', status }, reply.elapsedTime / 1000)
    request.log.info(
      {
        request_id: request.id,
        trace_id: request.traceparent.slice(3, 35),
        method,
        route: route ?? null,
        status,
        duration_ms: Math.round(reply.elapsedTime * 1000) / 1000,
        ip: request.clientIp,
        token_id: request.tokenId,
      },
      'request.completed',
    )
    done()
  })
}

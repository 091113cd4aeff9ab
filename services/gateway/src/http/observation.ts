import { metrics } from '@quittance/runtime/health'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Histogram } from 'prom-client'

const duration = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'Time to answer a request of a client, by method, route and status.',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  registers: [metrics],
})

/** Server faults mark the step as failed; what a client did wrong does not (OpenTelemetry, HTTP semantic conventions). */
function endSpan({ span, method, routeOptions }: FastifyRequest, status: number): void {
  const attributes = { 'http.request.method': method, 'http.route': routeOptions.url ?? 'none', 'http.response.status_code': status }
  // A request that the server refused before its first hook has none.
  span?.end({ attributes, ...(status >= 500 && { failed: status }) })
}

/** One line and one observation per request, when it is answered. Routes are named, addresses and query strings never. */
export function observeAnswers(app: FastifyInstance): void {
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
        ip: request.ip,
        token_id: request.tokenId,
      },
      'request.answered',
    )
    done()
  })
}

import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { removeCors } from './cors.ts'
import { bodyTooLarge, methodNotAllowed } from './errors.ts'
import { toClientHeaders, toUpstreamHeaders } from './proxy-headers.ts'
import type { Upstream } from './upstream.ts'

/** A path that another service serves over HTTP. */
export interface ProxyRoute {
  url: string
  methods: readonly HTTPMethods[]
  /** Public address of the path. */
  publicUrl: string
  /** Whether this service serves the request; otherwise it is not found. Default: every request. */
  accepts?: (request: FastifyRequest) => boolean
  /** Whether pages of other origins call this path with scripts, so that they must be able to read the failures of the gateway. */
  hasCors?: boolean
}

/** A request that is not forwarded, or that no replica answered. */
export interface ProxyFailure {
  status: number
  /** One sentence. */
  description: string
}

interface ProxyOptions {
  routes: readonly ProxyRoute[]
  upstream: Upstream
  /** Sends a failure in the form that the clients of these paths expect. */
  sendFailure: (reply: FastifyReply, failure: ProxyFailure) => FastifyReply
  /** Sends what the gateway itself rejects: a rate limit, overload. Default: as everywhere else. */
  sendRejection?: (reply: FastifyReply, error: unknown) => FastifyReply
  /** Failure if no replica answered. */
  unavailable: ProxyFailure
}

/** Forms and request objects are small. */
const bodyLimitBytes = 65_536

/** Proxies paths to another service without changing bytes in either direction. */
export function addProxy(app: FastifyInstance, options: ProxyOptions): void {
  const { routes, sendFailure, sendRejection } = options
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: bodyLimitBytes }, (_request, body, done) => done(null, body))
    scope.addHook('onRequest', async (request, reply) => rejectAmbiguousPath(request, { reply, sendFailure }))
    scope.addHook('preHandler', async (request, reply) => rejectNul(request, { reply, sendFailure }))
    scope.setErrorHandler((error, _request, reply) => {
      const { code } = error as { code?: string }
      if (code === bodyTooLarge) return sendFailure(reply, { status: 413, description: 'The request body is too large.' })
      if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
        return sendFailure(reply, { status: 415, description: 'The content type is not supported.' })
      if (sendRejection) return sendRejection(reply, error)
      throw error
    })
    for (const route of routes) addProxyRoute(scope, { route, options })
  })
}

function addProxyRoute(scope: FastifyInstance, { route, options }: { route: ProxyRoute; options: ProxyOptions }): void {
  const { url, methods, accepts, hasCors = false } = route
  scope.route({
    method: [...methods],
    url,
    exposeHeadRoute: false,
    config: { isProxied: true, hasCors },
    handler: async (request, reply) => {
      if (accepts && !accepts(request)) return reply.callNotFound()
      return forwardRequest(request, { reply, route, options })
    },
  })
  const others = scope.supportedMethods.filter((method) => !methods.includes(method))
  scope.route({ method: others, url, handler: methodNotAllowed(methods) })
}

interface Forwarding {
  reply: FastifyReply
  route: ProxyRoute
  options: ProxyOptions
}

async function forwardRequest(request: FastifyRequest, { reply, route, options }: Forwarding): Promise<FastifyReply> {
  const response = await options.upstream.request({
    method: request.method as 'GET' | 'HEAD' | 'POST' | 'OPTIONS',
    path: request.raw.url as string,
    headers: toUpstreamHeaders(request.raw, {
      publicUrl: route.publicUrl,
      ip: request.clientIp,
      requestId: request.id,
      traceparent: request.traceparent,
    }),
    body: (request.body as Buffer | undefined) ?? null,
  })
  if (!response) return options.sendFailure(reply, options.unavailable)
  if (route.hasCors) removeCors(reply)
  return reply.code(response.statusCode).headers(toClientHeaders(response.headers)).send(response.body)
}

type Rejecting = Pick<ProxyOptions, 'sendFailure'> & { reply: FastifyReply }

/**
 * Rejects ambiguous paths: the router is lenient and another server may read a lenient form differently. Only the plain form is forwarded.
 */
async function rejectAmbiguousPath(request: FastifyRequest, { reply, sendFailure }: Rejecting): Promise<FastifyReply | void> {
  const rawUrl = request.raw.url as string
  if (rawUrl.includes('%00')) return sendFailure(reply, { status: 400, description: 'The URL contains a NUL character.' })
  const path = rawUrl.split('?', 1)[0] as string
  const isPlain = !path.includes('%') && URL.parse(path, 'http://gateway')?.pathname === path
  if (!isPlain || !matchesRoute(path, request.routeOptions.url as string)) return reply.callNotFound()
}

/** Whether a path has the form of a route literally: same segments, any text for parameters and after a wildcard. */
function matchesRoute(path: string, route: string): boolean {
  const segments = path.split('/')
  return route.split('/').every((expected, index, all) => {
    const actual = segments[index]
    if (expected === '*') return actual !== undefined
    if (index === all.length - 1 && segments.length !== all.length) return false
    return expected.startsWith(':') ? Boolean(actual) : actual === expected
  })
}

/** Rejects NUL in forms: no form field needs it, and PostgreSQL cannot store it. */
async function rejectNul({ headers, body }: FastifyRequest, { reply, sendFailure }: Rejecting): Promise<FastifyReply | void> {
  if (!Buffer.isBuffer(body) || !/^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '')) return
  if (!body.includes(0) && !body.includes('%00')) return
  return sendFailure(reply, { status: 400, description: 'The request body contains a NUL character.' })
}

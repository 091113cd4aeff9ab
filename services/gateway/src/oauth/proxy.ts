import { ServiceUnavailable } from '@quittance/contracts/errors'
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { methodNotAllowed } from '../http/errors.ts'
import type { Upstream } from '../http/upstream.ts'
import { toClientHeaders, toUpstreamHeaders } from './proxy-headers.ts'

interface ProxyRoute {
  url: string
  methods: HTTPMethods[]
  /** Which of the two public addresses serves it. */
  side: 'baseUrl' | 'authUrl'
}

/** Routes that auth serves over HTTP; everything else of auth is an operation. */
const proxyRoutes: readonly ProxyRoute[] = [
  { url: '/oauth2/*', methods: ['GET', 'POST'], side: 'authUrl' },
  ...['token', 'revoke', 'introspect', 'par'].map((name) => protocol(`/v1/oauth2/${name}`, ['POST', 'OPTIONS'])),
  protocol('/v1/oauth2/userinfo', ['GET', 'POST', 'OPTIONS']),
  ...['openid-configuration', 'oauth-authorization-server', 'jwks.json'].map((name) =>
    protocol(`/.well-known/${name}`, ['GET', 'OPTIONS']),
  ),
]

function protocol(url: string, methods: HTTPMethods[]): ProxyRoute {
  return { url, methods, side: 'baseUrl' }
}

/** Forms and request objects are small. */
const bodyLimitBytes = 65_536

interface ProxyOptions {
  upstream: Upstream
  baseUrl: string
  authUrl: string
}

/** Proxies the HTTP of the authorization server without changing bytes in either direction. */
export function addAuthProxy(app: FastifyInstance, { upstream, ...publicUrls }: ProxyOptions): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: bodyLimitBytes }, (_request, body, done) => done(null, body))
    scope.addHook('onRequest', async (request, reply) => rejectAmbiguousPath(request, reply))
    scope.addHook('preHandler', async (request, reply) => rejectNul(request, reply))
    scope.setErrorHandler((error, _request, reply) => {
      const { code } = error as { code?: string }
      if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return sendInvalidRequest(reply, 413, 'The request body is too large.')
      if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return sendInvalidRequest(reply, 415, 'The content type is not supported.')
      throw error
    })
    for (const { url, methods, side } of proxyRoutes) {
      scope.route({
        method: methods,
        url,
        config: { isProxied: true },
        handler: (request, reply) => proxyRequest(request, reply, publicUrls[side]),
      })
      const others = scope.supportedMethods.filter((method) => !methods.includes(method))
      scope.route({ method: others, url, handler: methodNotAllowed(methods) })
    }
  })

  async function proxyRequest(request: FastifyRequest, reply: FastifyReply, publicUrl: string): Promise<FastifyReply> {
    const response = await upstream.request({
      method: request.method as 'GET' | 'POST' | 'OPTIONS',
      path: request.raw.url as string,
      headers: toUpstreamHeaders(request.raw, { publicUrl, ip: request.ip, requestId: request.id }),
      body: (request.body as Buffer | undefined) ?? null,
    })
    if (!response) throw new ServiceUnavailable('The auth service is not running.')
    return reply.code(response.statusCode).headers(toClientHeaders(response.headers)).send(response.body)
  }
}

/**
 * Rejects ambiguous paths: the router is lenient and another server may read a lenient form differently. Only the plain form is forwarded.
 */
async function rejectAmbiguousPath(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | void> {
  const rawUrl = request.raw.url as string
  if (rawUrl.includes('%00')) return sendInvalidRequest(reply, 400, 'The URL contains a NUL character.')
  const path = rawUrl.split('?', 1)[0] as string
  const [prefix, wildcard] = (request.routeOptions.url as string).split('*') as [string, string?]
  const isPlain = !path.includes('%') && new URL(path, 'http://gateway').pathname === path
  if (!isPlain || (wildcard === undefined ? path !== prefix : !path.startsWith(prefix))) return reply.callNotFound()
}

/** Rejects NUL in forms: no form field needs it, and PostgreSQL cannot store it. */
async function rejectNul({ headers, body }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | void> {
  if (!Buffer.isBuffer(body) || !/^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '')) return
  if (!body.includes(0) && !body.includes('%00')) return
  return sendInvalidRequest(reply, 400, 'The request body contains a NUL character.')
}

/** Sends an error in the form of RFC 6749 §5.2, with the `detail` of every other error. */
function sendInvalidRequest(reply: FastifyReply, status: number, description: string): FastifyReply {
  const body = { error: 'invalid_request', error_description: description, detail: description }
  return reply.code(status).type('application/json').send(JSON.stringify(body))
}

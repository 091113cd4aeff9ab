import { ApiError, ServiceUnavailable } from '@quittance/contracts/errors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addProxy, type ProxyFailure, type ProxyRoute } from '../http/proxy.ts'
import type { Upstream } from '../http/upstream.ts'
import { sendFailurePage } from '../pages/page-proxy.ts'

interface AuthProxyOptions {
  upstream: Upstream
  baseUrl: string
  authUrl: string
}

/** The pages of auth, which users see. */
const pagesRoute = '/oauth2/*'

const unavailable = { status: 503, description: 'The auth service is not running.' }

/** Proxies the HTTP of the authorization server: its pages and the protocol. Everything else of auth is an operation. */
export function addAuthProxy(app: FastifyInstance, { upstream, baseUrl, authUrl }: AuthProxyOptions): void {
  const protocol = (url: string, methods: ProxyRoute['methods']): ProxyRoute => ({ url, methods, publicUrl: baseUrl, hasCors: true })
  const routes: ProxyRoute[] = [
    { url: pagesRoute, methods: ['GET', 'HEAD', 'POST'], publicUrl: authUrl },
    ...['token', 'revoke', 'introspect', 'par'].map((name) => protocol(`/v1/oauth2/${name}`, ['POST', 'OPTIONS'])),
    protocol('/v1/oauth2/userinfo', ['GET', 'HEAD', 'POST', 'OPTIONS']),
    ...['openid-configuration', 'oauth-authorization-server', 'jwks.json'].map((name) =>
      protocol(`/.well-known/${name}`, ['GET', 'HEAD', 'OPTIONS']),
    ),
  ]
  addProxy(app, { routes, upstream, sendFailure, sendRejection, unavailable })
}

const pageTexts = {
  413: ['This was too long', 'Nothing was saved. Go back and shorten what you typed.'],
  429: ['Too many requests', 'Nothing was done. Wait a moment and load this page again.'],
  503: ['This page is not available right now', 'Nothing was changed. Wait a moment and load this page again.'],
} satisfies Record<number, [string, string]>

function showsPage({ headers, routeOptions }: FastifyRequest): boolean {
  return routeOptions.url === pagesRoute && /\btext\/html\b/.test(headers.accept ?? '')
}

/** Sends a page to a browser that opens one; to others what the gateway rejects is sent as everywhere else. */
function sendRejection(reply: FastifyReply, error: unknown): FastifyReply {
  if (!(error instanceof ApiError) || !showsPage(reply.request)) throw error
  if (error.retryAfterSeconds) reply.header('retry-after', error.retryAfterSeconds)
  return sendFailurePage(reply, error.status, pageTexts)
}

/** Sends an error in the form of RFC 6749 §5.2, with the `detail` of every other error; to a browser that opens a page, a page. */
function sendFailure(reply: FastifyReply, { status, description }: ProxyFailure): FastifyReply {
  if (status === unavailable.status) throw new ServiceUnavailable(description)
  if (showsPage(reply.request)) return sendFailurePage(reply, status, pageTexts)
  const body = { error: 'invalid_request', error_description: description, detail: description }
  return reply.code(status).type('application/json').send(JSON.stringify(body))
}

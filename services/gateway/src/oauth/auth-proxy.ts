import { ServiceUnavailable } from '@quittance/contracts/errors'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { addProxy, type ProxyFailure, type ProxyRoute } from '../http/proxy.ts'
import type { Upstream } from '../http/upstream.ts'

interface AuthProxyOptions {
  upstream: Upstream
  baseUrl: string
  authUrl: string
}

const unavailable = { status: 503, description: 'The auth service is not running.' }

/** Proxies the HTTP of the authorization server: its pages and the protocol. Everything else of auth is an operation. */
export function addAuthProxy(app: FastifyInstance, { upstream, baseUrl, authUrl }: AuthProxyOptions): void {
  const protocol = (url: string, methods: ProxyRoute['methods']): ProxyRoute => ({ url, methods, publicUrl: baseUrl, hasCors: true })
  const routes: ProxyRoute[] = [
    { url: '/oauth2/*', methods: ['GET', 'POST'], publicUrl: authUrl },
    ...['token', 'revoke', 'introspect', 'par'].map((name) => protocol(`/v1/oauth2/${name}`, ['POST', 'OPTIONS'])),
    protocol('/v1/oauth2/userinfo', ['GET', 'POST', 'OPTIONS']),
    ...['openid-configuration', 'oauth-authorization-server', 'jwks.json'].map((name) =>
      protocol(`/.well-known/${name}`, ['GET', 'OPTIONS']),
    ),
  ]
  addProxy(app, { routes, upstream, sendFailure, unavailable })
}

/** Sends an error in the form of RFC 6749 §5.2, with the `detail` of every other error. */
function sendFailure(reply: FastifyReply, { status, description }: ProxyFailure): FastifyReply {
  if (status === unavailable.status) throw new ServiceUnavailable(description)
  const body = { error: 'invalid_request', error_description: description, detail: description }
  return reply.code(status).type('application/json').send(JSON.stringify(body))
}

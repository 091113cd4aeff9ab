import { parse, stringify } from 'node:querystring'
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { routes } from '../provider/routes.ts'
import type { AppOptions } from './app-options.ts'

const endpoints: [path: string, methods: HTTPMethods[]][] = [
  [routes.authorization, ['GET']],
  [`${routes.authorization}/:uid`, ['GET']],
  [routes.end_session, ['GET']],
  [`${routes.end_session}/confirm`, ['POST']],
  [`${routes.end_session}/success`, ['GET']],
  [routes.token, ['POST', 'OPTIONS']],
  [routes.userinfo, ['GET', 'POST', 'OPTIONS']],
  [routes.revocation, ['POST', 'OPTIONS']],
  [routes.introspection, ['POST', 'OPTIONS']],
  [routes.pushed_authorization_request, ['POST', 'OPTIONS']],
  [routes.jwks, ['GET', 'OPTIONS']],
  ['/.well-known/openid-configuration', ['GET', 'OPTIONS']],
  ['/.well-known/oauth-authorization-server', ['GET', 'OPTIONS']],
]

/**
 * Hands the library's endpoints to the library, body unread. Exact paths: its own router would also take other spellings, past
 * whatever the gateway decided by path.
 */
export function addProtocol(app: FastifyInstance, { provider }: AppOptions): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _body, done) => done(null))
  const handle = (request: FastifyRequest, reply: FastifyReply) => {
    reply.hijack()
    void provider().callback()(request.raw, reply.raw)
  }
  for (const [url, method] of endpoints) app.route({ method, url, handler: handle, exposeHeadRoute: false })
  app.register(async (form) => addAuthorizationByPost(form))
}

/** OpenID Connect Core §3.1.2.1: the same request by POST. Sent on as a GET, so that session cookies can stay `SameSite=Lax`. */
function addAuthorizationByPost(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => {
    done(null, parse(body as string))
  })
  app.post(routes.authorization, (request, reply) => {
    const query = stringify((request.body ?? {}) as Record<string, string>)
    return reply.header('cache-control', 'no-store').redirect(`${routes.authorization}?${query}`, 303)
  })
}

import { parse, stringify } from 'node:querystring'
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { routes } from '../routes.ts'
import { assertShortQuery } from '../provider/assert-short-query.ts'
import type { AppOptions } from '../web/app-options.ts'

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

/** Endpoints that return parameters of a request, such as its `state`, in a redirect. */
const redirectingPaths: ReadonlySet<string> = new Set([routes.authorization, routes.end_session])

/**
 * Passes requests to the endpoints of the library, body unread. Only exact paths: the router of the library also accepts other spellings,
 * which would bypass what the gateway decides by path.
 */
export function addProtocolRoutes(app: FastifyInstance, { provider }: AppOptions): void {
  app.addHook('onRequest', async (request, reply) => rejectMultipleCredentials(request, reply))
  app.addHook('onRequest', async ({ url, routeOptions }) => {
    if (redirectingPaths.has(routeOptions.url ?? '')) assertShortQuery(url.split('?')[1] ?? '')
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _body, done) => done(null))
  const handle = (request: FastifyRequest, reply: FastifyReply) => {
    reply.hijack()
    // The router of the library has no HEAD. Node sends no body in a reply to it (RFC 9110 §9.3.2).
    if (request.raw.method === 'HEAD') request.raw.method = 'GET'
    void provider().callback()(request.raw, reply.raw)
  }
  for (const [url, methods] of endpoints) {
    const method = methods.includes('GET') ? [...methods, 'HEAD'] : methods
    app.route({ method, url, handler: handle, exposeHeadRoute: false })
  }
  app.register(async (form) => addRequestsByPost(form))
}

/**
 * One authentication method per request (RFC 6750 §2, RFC 6749 §2.3). Node keeps the first of several header lines, so the library sees
 * only that.
 */
async function rejectMultipleCredentials({ raw }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | void> {
  const lines = raw.headersDistinct['authorization']?.length ?? 0
  const isInQuery = /[?&]access_token(?:[=&]|$)/.test(raw.url ?? '')
  if (lines + Number(lines > 0 && isInQuery) <= 1) return
  const description = 'credentials were sent in more than one way'
  const body = { error: 'invalid_request', error_description: description, detail: description }
  return reply.code(400).header('cache-control', 'no-store').type('application/json').send(JSON.stringify(body))
}

/**
 * Accepts by POST what browsers send by GET (OpenID Connect Core §3.1.2.1, RP-Initiated Logout 1.0 §2). Redirected to the GET, so that
 * session cookies can stay `SameSite=Lax`.
 */
function addRequestsByPost(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => {
    done(null, parse(body as string))
  })
  for (const url of redirectingPaths) {
    app.post(url, (request, reply) => {
      const query = stringify((request.body ?? {}) as Record<string, string>)
      assertShortQuery(query)
      return reply.header('cache-control', 'no-store').redirect(`${url}?${query}`, 303)
    })
  }
}

import { ServiceUnavailable } from '@quittance/contracts/errors'
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { methodNotAllowed } from '../http/errors.ts'
import type { Upstream } from '../http/upstream.ts'
import { answerFields, requestFields } from './passed-headers.ts'

interface Passage {
  url: string
  methods: HTTPMethods[]
  /** Which of the two public addresses it is under. */
  side: 'baseUrl' | 'authUrl'
}

/** What auth serves over HTTP; everything else of it is an operation. */
const passages: readonly Passage[] = [
  { url: '/oauth2/*', methods: ['GET', 'POST'], side: 'authUrl' },
  ...['token', 'revoke', 'introspect', 'par'].map((name) => protocol(`/v1/oauth2/${name}`, ['POST', 'OPTIONS'])),
  protocol('/v1/oauth2/userinfo', ['GET', 'POST', 'OPTIONS']),
  ...['openid-configuration', 'oauth-authorization-server', 'jwks.json'].map((name) =>
    protocol(`/.well-known/${name}`, ['GET', 'OPTIONS']),
  ),
]

function protocol(url: string, methods: HTTPMethods[]): Passage {
  return { url, methods, side: 'baseUrl' }
}

/** Forms and request objects are small. */
const bodyLimitBytes = 65_536

interface ProxyOptions {
  upstream: Upstream
  baseUrl: string
  authUrl: string
}

/** Passes the HTTP of the authorization server through, bytes untouched in both directions. */
export function addAuthProxy(app: FastifyInstance, { upstream, ...publicUrls }: ProxyOptions): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: bodyLimitBytes }, (_request, body, done) => done(null, body))
    scope.addHook('onRequest', async (request, reply) => refuseOddPath(request, reply))
    scope.addHook('preHandler', async (request, reply) => refuseNul(request, reply))
    scope.setErrorHandler((error, _request, reply) => {
      const { code } = error as { code?: string }
      if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return refuse(reply, 413, 'The request body is too large.')
      if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return refuse(reply, 415, 'The content type cannot be read.')
      throw error
    })
    for (const { url, methods, side } of passages) {
      scope.route({
        method: methods,
        url,
        config: { isPassedOn: true },
        handler: (request, reply) => pass(request, reply, publicUrls[side]),
      })
      const others = scope.supportedMethods.filter((method) => !methods.includes(method))
      scope.route({ method: others, url, handler: methodNotAllowed(methods) })
    }
  })

  async function pass(request: FastifyRequest, reply: FastifyReply, publicUrl: string): Promise<FastifyReply> {
    const answer = await upstream.ask({
      method: request.method as 'GET' | 'POST' | 'OPTIONS',
      path: request.raw.url as string,
      headers: requestFields(request.raw, { publicUrl, ip: request.ip, requestId: request.id }),
      body: (request.body as Buffer | undefined) ?? null,
    })
    if (!answer) throw new ServiceUnavailable('The auth service is not running.')
    return reply.code(answer.statusCode).headers(answerFields(answer.headers)).send(answer.body)
  }
}

/** The router is lenient about paths. Another server may read a lenient form differently, so only the plain one goes on. */
async function refuseOddPath(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | void> {
  const given = request.raw.url as string
  if (given.includes('%00')) return refuse(reply, 400, 'The address contains a NUL character.')
  const path = given.split('?', 1)[0] as string
  const [beginning, isOpen] = (request.routeOptions.url as string).split('*') as [string, string?]
  const isPlain = !path.includes('%') && new URL(path, 'http://gateway').pathname === path
  if (!isPlain || (isOpen === undefined ? path !== beginning : !path.startsWith(beginning))) return reply.callNotFound()
}

/** No form field has a use for it, and PostgreSQL cannot keep it. */
async function refuseNul({ headers, body }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | void> {
  if (!Buffer.isBuffer(body) || !/^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '')) return
  if (!body.includes(0) && !body.includes('%00')) return
  return refuse(reply, 400, 'The request body contains a NUL character.')
}

/** A refusal in the form of RFC 6749 §5.2, with the `detail` of every other one. */
function refuse(reply: FastifyReply, status: number, description: string): FastifyReply {
  const body = { error: 'invalid_request', error_description: description, detail: description }
  return reply.code(status).type('application/json').send(JSON.stringify(body))
}

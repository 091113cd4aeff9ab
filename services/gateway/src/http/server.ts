import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { publicOperations } from '@quittance/contracts/registry'
import type { Surroundings } from '@quittance/runtime/service'
import { fastify, LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { createChallenge } from '../access/challenge.ts'
import { createRateLimit } from '../access/rate-limit.ts'
import { createVerifier } from '../access/verifier.ts'
import { config } from '../config.ts'
import { addDocumentRoute } from '../documents/document-route.ts'
import { addProtectedResource } from '../oauth/protected-resource.ts'
import { addAuthProxy } from '../oauth/proxy.ts'
import { openApi } from '../openapi/openapi.ts'
import { addChanges } from './deprecation.ts'
import { answerClientError, answerError, answerErrors } from './errors.ts'
import { readJson } from './read-json.ts'
import { addRoutes } from './routes.ts'
import { createUpstream } from './upstream.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Which credential, for the access log; never the credential itself. */
    tokenId: string | null
  }
}

/** Opens the door. */
export async function startDoor({ connection, log }: Surroundings) {
  const settings = config()
  const app = fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: settings.BODY_LIMIT_BYTES,
    requestTimeout: 30_000,
    connectionTimeout: 60_000,
    genReqId: ({ headers }) => acceptedRequestId(headers['x-request-id']) ?? randomUUID(),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 300 },
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, _request, reply) => void answerError(reply, error),
  })
  app.decorateRequest('tokenId', null)
  readJson(app)
  const challenge = createChallenge(settings.BASE_URL)
  answerErrors(app, challenge)
  limitRate(app, settings.RATE_LIMIT_PER_SECOND)
  logAccess(app)
  const verifier = createVerifier({ connection, log, baseUrl: settings.BASE_URL })
  const { BASE_URL: baseUrl, REQUEST_TIMEOUT_MS: timeoutMs } = settings
  addRoutes(app, publicOperations, { connection, verifier, challenge, timeoutMs, baseUrl })
  addChanges(app)
  const upstreams = { invoices: createUpstream(settings.INVOICES_HTTP_URL), auth: createUpstream(settings.AUTH_HTTP_URL) }
  addDocumentRoute(app, upstreams.invoices)
  addAuthProxy(app, { upstream: upstreams.auth, baseUrl: settings.BASE_URL, authUrl: settings.AUTH_URL })
  addProtectedResource(app, settings.BASE_URL)
  const description = JSON.stringify(openApi(publicOperations, settings.BASE_URL, settings.AUTH_URL))
  app.get('/openapi.json', (_request, reply) => reply.type('application/json').send(description))
  await app.listen({ host: settings.HOST, port: settings.PORT })
  const { port } = app.server.address() as AddressInfo
  log.info({ host: settings.HOST, port }, 'gateway.listening')
  return {
    name: 'door',
    port,
    async close() {
      await app.close()
      await Promise.all([upstreams.invoices.close(), upstreams.auth.close()])
    },
  }
}

function acceptedRequestId(given: string | string[] | undefined): string | null {
  return typeof given === 'string' && /^[\w.-]{1,128}$/.test(given) ? given : null
}

function limitRate(app: FastifyInstance, perSecond: number): void {
  const limit = createRateLimit(perSecond)
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
    const quota = await limit(request.ip)
    if (!quota) return
    reply.header('ratelimit-policy', `"ip";q=${quota.limit};w=1`)
    reply.header('ratelimit', `"ip";r=${quota.remaining};t=1`)
  })
}

/** One line per request, when it is answered. */
function logAccess(app: FastifyInstance): void {
  app.addHook('onResponse', (request, reply, done) => {
    request.log.info(
      {
        request_id: request.id,
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        duration_ms: Math.round(reply.elapsedTime * 1000) / 1000,
        ip: request.ip,
        token_id: request.tokenId,
      },
      'request.answered',
    )
    done()
  })
}

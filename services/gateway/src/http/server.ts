import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { publicOperations } from '@quittance/contracts/registry'
import { acceptWaiting } from '@quittance/runtime/accept-waiting'
import type { Surroundings } from '@quittance/runtime/service'
import { fastify, LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { createChallenge } from '../access/challenge.ts'
import { createRateLimit } from '../access/rate-limit.ts'
import { createVerifier } from '../access/verifier.ts'
import { config } from '../config.ts'
import { addDocumentRoute } from '../documents/document-route.ts'
import { addProtectedResource } from '../oauth/protected-resource.ts'
import { addAuthProxy } from '../oauth/proxy.ts'
import { addDocsPage } from '../openapi/docs-page.ts'
import { openApi } from '../openapi/openapi.ts'
import { addCompression } from './compression.ts'
import { createCors } from './cors.ts'
import { addChanges } from './deprecation.ts'
import { addEntrance, protectiveFields } from './entrance.ts'
import { answerClientError, answerError, answerErrors } from './errors.ts'
import { observeAnswers } from './observation.ts'
import { addPage } from './page-route.ts'
import { createPressure } from './pressure.ts'
import { addProbes } from './probes.ts'
import { readJson } from './read-json.ts'
import { addRoutes } from './routes.ts'
import { createUpstream } from './upstream.ts'

type Settings = ReturnType<typeof config>

/** Longest that a request and its head may take to arrive, and how often that is looked at. */
const arrival = { requestTimeout: 30_000, headersTimeout: 10_000, connectionsCheckingInterval: 2_000 }
/** A connection that lasts for ever stays with one replica for ever. */
const maxRequestsPerSocket = 10_000
/**
 * Connections that may wait to be taken in; the kernel allows no more (net.core.somaxconn). Who finds no place knocks again after one
 * second, then after two, then four: Node's own 511 are gone when the clients of another replica come over.
 */
const mostWaiting = 4_096

/** Opens the door. */
export async function startDoor({ connection, log }: Surroundings) {
  const settings = config()
  const { BASE_URL: baseUrl, AUTH_URL: authUrl, REQUEST_TIMEOUT_MS: timeoutMs } = settings
  const app = createApp(settings, log as FastifyBaseLogger)
  const rateLimit = createRateLimit({ perSecond: settings.RATE_LIMIT_PER_SECOND, storeUrl: settings.RATE_LIMIT_STORE_URL, log })
  const pressure = createPressure({ maxInFlight: settings.MAX_IN_FLIGHT, maxDelayMs: settings.MAX_EVENT_LOOP_DELAY_MS })
  const challenge = createChallenge(baseUrl)
  const upstreams = { invoices: createUpstream(settings.INVOICES_HTTP_URL), auth: createUpstream(settings.AUTH_HTTP_URL) }
  let isStopping = false
  readJson(app)
  answerErrors(app, challenge)
  addEntrance(app, {
    rateLimit,
    pressure,
    cors: createCors(settings.CORS_ORIGINS),
    fields: protectiveFields(baseUrl),
    isStopping: () => isStopping,
  })
  addCompression(app)
  observeAnswers(app)
  addProbes(app, { connection, isStopping: () => isStopping })
  addRoutes(app, publicOperations, { connection, verifier: createVerifier({ connection, log, baseUrl }), challenge, timeoutMs, baseUrl })
  addChanges(app)
  addDocumentRoute(app, upstreams.invoices)
  addAuthProxy(app, { upstream: upstreams.auth, baseUrl, authUrl })
  addProtectedResource(app, baseUrl)
  addDocsPage(app)
  const description = JSON.stringify(openApi(publicOperations, baseUrl, authUrl))
  addPage(app, '/openapi.json', (_request, reply) => reply.type('application/json').send(description))
  app.addHook('preClose', () => acceptWaiting(app.server))
  await app.listen({ host: settings.HOST, port: settings.PORT, backlog: mostWaiting })
  pressure.watch()
  const { port } = app.server.address() as AddressInfo
  log.info({ host: settings.HOST, port }, 'gateway.listening')
  return {
    name: 'door',
    port,
    async close() {
      isStopping = true
      pressure.endConnections()
      await delay(settings.STOP_NOTICE_MS)
      await app.close()
      pressure.close()
      await Promise.all([rateLimit.close(), upstreams.invoices.close(), upstreams.auth.close()])
    },
  }
}

function createApp({ BODY_LIMIT_BYTES, TRUSTED_PROXIES }: Settings, log: FastifyBaseLogger): FastifyInstance {
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT_BYTES,
    connectionTimeout: 60_000,
    requestTimeout: arrival.requestTimeout,
    http: { headersTimeout: arrival.headersTimeout, connectionsCheckingInterval: arrival.connectionsCheckingInterval },
    maxRequestsPerSocket,
    trustProxy: TRUSTED_PROXIES.length > 0 ? TRUSTED_PROXIES : false,
    genReqId: ({ headers }) => acceptedRequestId(headers['x-request-id']) ?? randomUUID(),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 300 },
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    // What came in over a connection that was kept is answered like everything else.
    return503OnClosing: false,
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, _request, reply) => void answerError(reply, error),
  })
  return app
}

function acceptedRequestId(given: string | string[] | undefined): string | null {
  return typeof given === 'string' && /^[\w.-]{1,128}$/.test(given) ? given : null
}

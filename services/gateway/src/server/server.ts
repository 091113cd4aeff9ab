import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { publicEvents, publicOperations } from '@quittance/contracts/registry'
import { drainAcceptQueue } from '@quittance/runtime/shutdown'
import type { ServiceResources } from '@quittance/runtime/service'
import { fastify, LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { addClientAddress } from '../access/client-address.ts'
import { createChallenge } from '../access/challenge.ts'
import { createRateLimit } from '../access/rate-limit.ts'
import { createVerifier } from '../access/verifier.ts'
import { config } from '../config.ts'
import { addDocumentRoute } from '../documents/document-route.ts'
import { addProtectedResource } from '../oauth/protected-resource.ts'
import { addAuthProxy } from '../oauth/auth-proxy.ts'
import { addMailboxProxy } from '../pages/mailbox-proxy.ts'
import { addPageProxy } from '../pages/page-proxy.ts'
import { addDocsPage } from '../openapi/docs-page.ts'
import { buildOpenApi } from '../openapi/build-openapi.ts'
import { addCompression } from '../http/compression.ts'
import { createCors } from '../http/cors.ts'
import { addChangelogRoute } from '../operations/send-reply.ts'
import { addRequestHooks, securityHeaders, transportFields, addAccessLog } from './request-hooks.ts'
import { handleClientError, addErrorHandlers } from '../http/errors.ts'
import { addMalformedUrlRoute, selectRoutedUrl } from '../http/request-target.ts'
import { addPublicRoute } from '../http/public-route.ts'
import { createLoadShedder } from '../http/load-shedding.ts'
import { createRequestArrivals } from '../http/request-arrivals.ts'
import { addProbes } from './probes.ts'
import { addJsonParser } from '../http/json-body.ts'
import { createResponseBytes } from '../http/response-bytes.ts'
import { addOperationRoutes } from '../operations/operation-routes.ts'
import { createUpstream } from '../http/upstream.ts'

type Settings = ReturnType<typeof config>

/** Timeouts of a request and its headers, and the interval in which they are checked. */
const arrival = { requestTimeout: 30_000, headersTimeout: 10_000, connectionsCheckingInterval: 2_000 }
/** Limits connections, because one that lasts forever stays with one replica forever. */
const maxRequestsPerSocket = 10_000
/**
 * Length of the accept queue; the kernel limits it further (net.core.somaxconn). A client whose SYN is dropped retries after 1, 2 and 4
 * seconds, and Node's default of 511 is full when the clients of another replica move over.
 */
const acceptBacklog = 4_096

/** Milliseconds until connections are ended whose request does not arrive, or whose response is not read, while the server stops. */
const maxDrainMs = 12_000

/** Share of one address in the bytes of large responses, for each request that it may send in a second: 16 MB a second by default. */
const bytesPerRequest = 160 * 1_024

/** Node rejects longer ones. The operations limit their parameters; the router would answer without a hook, as for malformed URLs. */
const maxUrlLength = 16_384

/** Starts the public HTTP server. */
export async function startHttpServer({ connection, identity, acceptsUnsigned, log }: ServiceResources) {
  const settings = config()
  const { BASE_URL: baseUrl, AUTH_URL: authUrl, REQUEST_TIMEOUT_MS: timeoutMs } = settings
  const app = createApp(settings, log as FastifyBaseLogger)
  const limits = createLimits(settings, log)
  const loadShedder = createLoadShedder({ maxInFlight: settings.MAX_IN_FLIGHT, maxDelayMs: settings.MAX_EVENT_LOOP_DELAY_MS })
  const [arrivals, challenge, upstreams] = [createRequestArrivals(), createChallenge(baseUrl), createUpstreams(settings)]
  const pagesUrl = settings.PAGES_URL ?? baseUrl
  let isStopping = false
  addJsonParser(app)
  addErrorHandlers(app, challenge)
  addClientAddress(app, settings.PAGES_KEY)
  addRequestHooks(app, {
    limits,
    loadShedder,
    arrivals,
    cors: createCors(settings.CORS_ORIGINS),
    fields: securityHeaders,
    transportFields: transportFields(baseUrl, authUrl, pagesUrl),
    isStopping: () => isStopping,
  })
  addCompression(app)
  addAccessLog(app)
  addProbes(app, { connection, isStopping: () => isStopping })
  addOperationRoutes(app, publicOperations, {
    connection,
    verifier: createVerifier({ connection, identity, acceptsUnsigned, log, baseUrl }),
    challenge,
    loadShedder,
    timeoutMs,
    baseUrl,
  })
  addChangelogRoute(app)
  addMalformedUrlRoute(app)
  addDocumentRoute(app, upstreams.invoices)
  addAuthProxy(app, { upstream: upstreams.auth, baseUrl, authUrl })
  addPageProxy(app, { upstream: upstreams.storefront, baseUrl, authUrl, pagesUrl })
  if (settings.MAIL_HTTP_URL.length > 0) addMailboxProxy(app, { upstream: upstreams.mail, baseUrl })
  addDescriptions(app, { baseUrl, authUrl })
  app.addHook('preClose', () => drainAcceptQueue(app.server))
  await app.listen({ host: settings.HOST, port: settings.PORT, backlog: acceptBacklog })
  loadShedder.startSampling()
  const { port } = app.server.address() as AddressInfo
  log.info({ host: settings.HOST, port }, 'gateway.listening')
  return {
    name: 'http-server',
    port,
    async close() {
      isStopping = true
      loadShedder.endConnections()
      await delay(settings.STOP_NOTICE_MS)
      const drain = setTimeout(() => app.server.closeAllConnections(), maxDrainMs)
      await app.close()
      clearTimeout(drain)
      loadShedder.close()
      arrivals.close()
      await Promise.all([limits.byAddress, limits.byObject, limits.responseBytes, ...Object.values(upstreams)].map((each) => each.close()))
    },
  }
}

/** Adds what describes the API to clients and people. */
function addDescriptions(app: FastifyInstance, { baseUrl, authUrl }: { baseUrl: string; authUrl: string }): void {
  addProtectedResource(app, baseUrl)
  addDocsPage(app)
  const description = JSON.stringify(buildOpenApi({ operations: publicOperations, events: publicEvents }, baseUrl, authUrl))
  addPublicRoute(app, '/openapi.json', (_request, reply) => reply.type('application/json').send(description))
}

/** A page that waits for an operation, which has `REQUEST_TIMEOUT_MS`, states in the language of its reader that there is no reply. */
const pageExtraMs = 3_000

/** Creates the clients of the services that are reached over HTTP. */
function createUpstreams({ REQUEST_TIMEOUT_MS, ...settings }: Settings) {
  const timeoutMs = REQUEST_TIMEOUT_MS + pageExtraMs
  return {
    invoices: createUpstream(settings.INVOICES_HTTP_URL, timeoutMs),
    auth: createUpstream(settings.AUTH_HTTP_URL, timeoutMs),
    storefront: createUpstream(settings.STOREFRONT_HTTP_URL, timeoutMs),
    mail: createUpstream(settings.MAIL_HTTP_URL, timeoutMs),
  }
}

/** Events of one account within a second: Stripe sends fewer than its limit of requests. */
const maxPerObject = 300

function createLimits({ RATE_LIMIT_PER_SECOND: perSecond, RATE_LIMIT_STORE_URL: storeUrl }: Settings, log: ServiceResources['log']) {
  return {
    byAddress: createRateLimit({ perSecond, storeUrl, log }),
    byObject: createRateLimit({ perSecond: perSecond === 0 ? 0 : maxPerObject, storeUrl, log }),
    maxRejected: perSecond,
    responseBytes: createResponseBytes(perSecond * bytesPerRequest),
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
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: maxUrlLength },
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    // Requests on kept-alive connections are served normally while the server closes.
    return503OnClosing: false,
    clientErrorHandler: handleClientError,
    rewriteUrl: selectRoutedUrl,
  })
  // Node answers an expectation that it does not know without a hook, and reads the body. Ignoring it is allowed (RFC 9110 §10.1.1).
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  return app
}

function acceptedRequestId(requestId: string | string[] | undefined): string | null {
  return typeof requestId === 'string' && /^[\w.-]{1,128}$/.test(requestId) ? requestId : null
}

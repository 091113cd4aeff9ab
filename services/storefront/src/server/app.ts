import type { InlineAsset } from '@quittance/pages/layout'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { ApiFailure, ApiUnavailable } from '@quittance/pages/call-api'
import { fastify, LogController, type FastifyBaseLogger, type FastifyInstance, type FastifyReply } from 'fastify'
import { addBuyRoutes } from '../buy/buy-routes.ts'
import { addCheckoutRoutes } from '../checkout/checkout-routes.ts'
import { addDeclarationRoutes } from '../declarations/declaration-routes.ts'
import { addEmbedRoutes } from '../embed/embed-routes.ts'
import { addPortalRoutes } from '../portal/portal-routes.ts'
import { addStartPage } from '../start/start-page.ts'
import { addUnsubscribeRoutes } from '../unsubscribe/unsubscribe-routes.ts'
import { addVerificationRoutes } from '../verification/verification-routes.ts'
import type { Words } from '../words/all-words.ts'
import { readPageContext, type AppOptions } from '../page/page-context.ts'
import { sendFault } from '../page/notice-page.ts'
import { readForms, rejectForeignForms } from './forms.ts'

const formLimitBytes = 64 * 1024

/** HTTP server of the pages. Only the gateway can reach it. */
export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const app = fastify({
    loggerInstance: options.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: formLimitBytes,
    trustProxy: true,
    genReqId: ({ headers }) => String(headers['x-request-id'] ?? crypto.randomUUID()),
    routerOptions: { maxParamLength: 200, ignoreTrailingSlash: true },
  })
  readForms(app)
  rejectForeignForms(app, options.origin)
  answerFaults(app, options.scripts.portal)
  addAccessLog(app)
  addCompression(app)
  addStartPage(app, options)
  addCheckoutRoutes(app, options)
  addBuyRoutes(app, options)
  addEmbedRoutes(app, options)
  addPortalRoutes(app, options)
  addDeclarationRoutes(app, options)
  addUnsubscribeRoutes(app, options)
  addVerificationRoutes(app, options)
  await app.ready()
  return app
}

type FaultText = { status: number; title: keyof Words['faults']; sentence: keyof Words['faults'] }

function toFault(error: unknown): FaultText {
  if (error instanceof ApiUnavailable) return { status: 503, title: 'unavailableTitle', sentence: 'unavailable' }
  if (error instanceof ApiFailure) {
    const isMalformedId = error.issues.some(({ loc }) => loc[0] === 'path')
    if (error.status === 404 || isMalformedId) return { status: 404, title: 'notFoundTitle', sentence: 'notFound' }
    if (error.status === 429) return { status: 429, title: 'tooManyTitle', sentence: 'tooMany' }
  }
  const { statusCode = 500 } = error as { statusCode?: number }
  if (statusCode < 500) return { status: statusCode, title: 'unreadableTitle', sentence: 'unreadable' }
  return { status: 500, title: 'failedTitle', sentence: 'failed' }
}

function answerFaults(app: FastifyInstance, frameScript: InlineAsset): void {
  app.setErrorHandler((error, request, reply): FastifyReply => {
    const fault = toFault(error)
    if (error instanceof ApiUnavailable) request.log.warn({ ...describeOutage(error), request_id: request.id }, 'page.unavailable')
    else if (fault.status >= 500) request.log.error({ err: error, request_id: request.id }, 'page.failed')
    const { retryAfterSeconds } = error as Partial<ApiFailure | ApiUnavailable>
    if (retryAfterSeconds) reply.header('retry-after', retryAfterSeconds)
    return sendFault(reply, { ...fault, context: readPageContext(request), frameScript })
  })
  app.setNotFoundHandler((request, reply) =>
    sendFault(reply, { status: 404, context: readPageContext(request), title: 'notFoundTitle', sentence: 'notFound' }),
  )
}

/** Without a stack: during an outage every page writes it. */
function describeOutage({ message, cause }: ApiUnavailable): { reason: string; code?: string } {
  const { code } = (cause ?? {}) as { code?: string }
  return { reason: message, ...(code !== undefined && { code }) }
}

/** Writes one line per request, with route names but never URLs: they contain secrets. */
function addAccessLog(app: FastifyInstance): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { traceparent } = request.headers
    request.log.info(
      {
        request_id: request.id,
        trace_id: typeof traceparent === 'string' ? traceparent.slice(3, 35) : null,
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        duration_ms: Math.round(reply.elapsedTime * 1000) / 1000,
      },
      'request.completed',
    )
    done()
  })
}

const compress = promisify(brotliCompress) as (text: string, options: object) => Promise<Buffer>
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }
/** Smaller pages fit one packet. */
const minCompressedBytes = 1_400

function addCompression(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || payload.length < minCompressedBytes) return payload
    reply.header('vary', 'Accept-Encoding')
    if (!/\bbr\b/.test(request.headers['accept-encoding'] ?? '')) return payload
    reply.header('content-encoding', 'br').removeHeader('content-length')
    return compress(payload, brotli)
  })
}

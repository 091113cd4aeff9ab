import { parse } from 'node:querystring'
import { isUnavailable } from '@quittance/runtime/respond'
import { fastify, LogController, type FastifyBaseLogger, type FastifyInstance, type FastifyReply } from 'fastify'
import { errors } from 'oidc-provider'
import { addInteractions } from '../interactions/interaction.ts'
import { errorPage, expiredPage, type Fault } from '../pages/error-page.ts'
import { pageHeaders } from '../pages/layout.ts'
import { addAccountPages } from '../sessions/account.ts'
import type { AppOptions } from './app-options.ts'
import { addProtocol } from './protocol.ts'

const formLimitBytes = 64 * 1024

/** HTTP of the authorization server: the library's endpoints, and pages of our own beside them. Only the gateway reaches it. */
export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const app = fastify({
    loggerInstance: options.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: formLimitBytes,
    trustProxy: true,
    routerOptions: { maxParamLength: 300 },
  })
  answerFaults(app)
  await app.register(async (protocol) => addProtocol(protocol, options))
  await app.register(async (pages) => {
    readForms(pages)
    addInteractions(pages, options)
    addAccountPages(pages, options)
  })
  await app.ready()
  return app
}

/** Set before the children are registered; they would not inherit it afterwards. */
function answerFaults(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => {
    const { statusCode } = error as { statusCode?: number }
    const expected = error instanceof errors.OIDCProviderError || (statusCode !== undefined && statusCode < 500)
    if (!expected) request.log.error({ err: error }, 'page.failed')
    return sendFault(reply, faultOf(error))
  })
  app.setNotFoundHandler((_request, reply) =>
    sendFault(reply, { status: 404, title: 'There is no such page', sentence: 'Go back to the application and try again.' }),
  )
}

function faultOf(error: unknown): Fault & { status: number } {
  if (error instanceof errors.SessionNotFound) {
    return { ...expiredPage, status: 400, code: error.error }
  }
  if (isUnavailable(error)) {
    return { status: 503, title: 'We are not available right now', sentence: 'Wait a moment and try again. Nothing was changed.' }
  }
  const status = (error as { statusCode?: number }).statusCode ?? 500
  return status < 500
    ? { status, title: 'This request cannot be read', sentence: 'Go back to the application and try again.' }
    : { status: 500, title: 'Something went wrong', sentence: 'The fault is on our side. Go back to the application and try again.' }
}

/** Answers with a page that says what went wrong. */
export function sendFault(reply: FastifyReply, { status, ...fault }: Fault & { status: number }): FastifyReply {
  if (status === 503) reply.header('retry-after', '1')
  return reply.code(status).headers(pageHeaders()).send(errorPage(fault))
}

/** Forms and nothing else. */
function readForms(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => {
    done(null, parse(body as string))
  })
}

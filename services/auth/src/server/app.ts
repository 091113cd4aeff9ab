import { parse } from 'node:querystring'
import { isTransientDatabaseError } from '@quittance/runtime/unavailable'
import { fastify, LogController, type FastifyBaseLogger, type FastifyInstance, type FastifyReply } from 'fastify'
import { errors } from 'oidc-provider'
import { addInteractionRoutes } from '../interactions/interaction-routes.ts'
import { addInvitationPages } from '../account-pages/invitation-pages.ts'
import { errorPage, expiredPageContent, type ErrorPageContent } from '../pages/error-page.ts'
import { pageHeaders } from '../pages/layout.ts'
import { toProtocolErrorContent } from '../pages/provider-pages.ts'
import { addAccountRoutes } from '../account-pages/account-routes.ts'
import type { AppOptions } from '../web/app-options.ts'
import { addProtocolRoutes } from './protocol-routes.ts'

const formLimitBytes = 64 * 1024

/** HTTP server of the authorization server: the endpoints of the library and the pages of this service. Only the gateway can reach it. */
export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const app = fastify({
    loggerInstance: options.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: formLimitBytes,
    trustProxy: true,
    routerOptions: { maxParamLength: 300 },
  })
  answerFaults(app)
  await app.register(async (protocol) => addProtocolRoutes(protocol, options))
  await app.register(async (pages) => {
    readForms(pages)
    addInteractionRoutes(pages, options)
    addAccountRoutes(pages, options)
    addInvitationPages(pages, options)
  })
  await app.ready()
  return app
}

/** Set before the child contexts are registered; later they would not inherit it. */
function answerFaults(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => {
    const { statusCode } = error as { statusCode?: number }
    const expected = error instanceof errors.OIDCProviderError || (statusCode !== undefined && statusCode < 500)
    if (!expected) request.log.error({ err: error }, 'page.failed')
    return sendErrorPage(reply, toErrorPageContent(error))
  })
  app.setNotFoundHandler((_request, reply) =>
    sendErrorPage(reply, { status: 404, title: 'There is no such page', sentence: 'The address is wrong, or the page was removed.' }),
  )
}

function toErrorPageContent(error: unknown): ErrorPageContent & { status: number } {
  if (error instanceof errors.SessionNotFound) {
    return { ...expiredPageContent, status: 400, details: [error.error, error.error_description] }
  }
  if (error instanceof errors.InvalidRequest) {
    return { ...toProtocolErrorContent(400, error), status: 400, details: [error.error, error.error_description] }
  }
  if (isTransientDatabaseError(error)) {
    return { status: 503, title: 'We are not available right now', sentence: 'Wait a moment and try again. Nothing was changed.' }
  }
  const status = (error as { statusCode?: number }).statusCode ?? 500
  return status < 500
    ? { status, title: 'This request cannot be read', sentence: 'Go back to the page before and fill it in once more.' }
    : { status: 500, title: 'Something went wrong', sentence: 'The fault is on our side. Go back and try again in a moment.' }
}

/** Replies with an error page. */
export function sendErrorPage(reply: FastifyReply, { status, ...fault }: ErrorPageContent & { status: number }): FastifyReply {
  if (status === 503) reply.header('retry-after', '1')
  return reply.code(status).headers(pageHeaders()).send(errorPage(fault))
}

/** Accepts form bodies only. */
function readForms(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => {
    done(null, parse(body as string))
  })
}

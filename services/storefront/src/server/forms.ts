import { parse } from 'node:querystring'
import { isSameOrigin, statesSite } from '@quittance/pages/same-origin'
import type { FastifyInstance } from 'fastify'
import { sendFault } from '../page/notice-page.ts'
import { readPageContext } from '../page/page-context.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A request without a page before it changes only what its token names. */
    isOneClick?: true
  }
}

const maxFormFields = 100

export function readForms(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, parse(body as string, '&', '=', { maxKeys: maxFormFields })),
  )
}

/** A form of another site is answered before anything is called. */
export function rejectForeignForms(app: FastifyInstance, origin: string): void {
  app.addHook('onRequest', async (request, reply) => {
    if (request.method !== 'POST' || request.routeOptions.config.isOneClick || isSameOrigin(request.headers, origin)) return
    return sendFault(reply, { status: 403, context: readPageContext(request), title: 'foreignTitle', sentence: 'foreign' })
  })
  if (statesSite(origin)) return
  // Browsers ignore it there, with a warning.
  app.addHook('onSend', async (_request, reply) => void reply.removeHeader('cross-origin-opener-policy'))
}

import { ApiError } from '@quittance/contracts/errors'
import { verificationRoute } from '@quittance/contracts/invoice-verification'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addVary } from '../http/compression.ts'
import { addProxy, type ProxyRoute } from '../http/proxy.ts'
import type { Upstream } from '../http/upstream.ts'

interface PageProxyOptions {
  upstream: Upstream
  baseUrl: string
  authUrl: string
  pagesUrl: string
}

const methods = ['GET', 'HEAD', 'POST'] as const

/**
 * Proxies the pages for buyers to the storefront. With a separate `PAGES_URL`, pages are found at that host only, and nothing else is: a
 * script of a payment provider beside them then has no origin in common with sign-in and API.
 */
export function addPageProxy(app: FastifyInstance, { upstream, baseUrl, authUrl, pagesUrl }: PageProxyOptions): void {
  const pagesHost = new URL(pagesUrl).host
  const isSeparate = [baseUrl, authUrl].every((url) => new URL(url).host !== pagesHost)
  const isPagesHost = (request: FastifyRequest) => !isSeparate || request.host === pagesHost
  const page = (url: string, accepts = isPagesHost): ProxyRoute => ({ url, methods, publicUrl: pagesUrl, accepts })
  const routes = [
    page('/', (request) => isPagesHost(request) && acceptsPage(request)),
    page('/checkout/*'),
    page('/buy/*'),
    page(verificationRoute),
    page('/embed/*'),
    page('/unsubscribe/*'),
    page('/:slug/portal'),
    page('/:slug/portal/*'),
    page('/:slug/withdraw'),
    page('/:slug/cancel'),
  ]
  const pagePaths = new Set(routes.map(({ url }) => url))
  if (isSeparate) {
    app.addHook('onRequest', async ({ host, routeOptions: { url, config } }, reply) => {
      if (host === pagesHost && !config.isProbe && !pagePaths.has(url ?? '')) return reply.callNotFound()
    })
  }
  app.addHook('onSend', async (request, reply) => {
    if (request.url.split('?', 1)[0] === '/') addVary(reply, 'Accept')
  })
  addProxy(app, {
    routes,
    upstream,
    sendFailure: (reply, { status }) => sendFailurePage(reply, status),
    sendRejection: (reply, error) => {
      if (!(error instanceof ApiError)) throw error
      if (error.retryAfterSeconds) reply.header('retry-after', error.retryAfterSeconds)
      return sendFailurePage(reply, error.status)
    },
    unavailable: { status: 503, description: 'The storefront is not running.' },
  })
}

/** At `/`, programs get the same response as before there were pages. */
function acceptsPage({ headers }: FastifyRequest): boolean {
  return /\btext\/html\b/.test(headers.accept ?? '')
}

type FailureTexts = Readonly<Record<number, [title: string, sentence: string]>>

const texts: FailureTexts = {
  413: ['This was too long', 'Nothing was sent. Go back and shorten what you typed.'],
  429: ['Too many requests', 'Nothing was done. Wait a moment and load this page again.'],
  503: ['This page is not available right now', 'Nothing was charged. Wait a moment and load this page again.'],
}
/** The form may have been handled, and charged: only its reply is missing. The same form sent again has no second effect. */
const lostReplyText = ['There was no reply', 'It is not known what was done. Wait a moment and load this page again.'] as const
const otherText = ['This request cannot be read', 'Nothing was done. Go back to the page before.'] as const

/** Sends a page that needs no other service. */
export function sendFailurePage(reply: FastifyReply, status: number, failureTexts: FailureTexts = texts): FastifyReply {
  const isReplyLost = status === 503 && reply.request.method === 'POST'
  const [title, sentence] = isReplyLost ? lostReplyText : (failureTexts[status] ?? otherText)
  const page = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title></head>
<body><main><h1>${title}</h1><p>${sentence}</p></main></body>
</html>
`
  return reply
    .code(status)
    .headers({
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    })
    .type('text/html; charset=utf-8')
    .send(page)
}

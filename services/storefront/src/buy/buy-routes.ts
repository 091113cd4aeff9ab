import { openCheckoutLink } from '@quittance/contracts/checkout-links'
import type { CheckoutPublic } from '@quittance/contracts/checkout'
import type { RequestInput } from '@quittance/contracts/operation'
import { ApiFailure } from '@quittance/pages/call-api'
import { html } from '@quittance/pages/html'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readPageContext, readText, type AppOptions, type PageContext } from '../page/page-context.ts'
import { sendNotice } from '../page/notice-page.ts'

interface LinkRoute {
  Params: { secret: string }
}

type Prefill = Omit<RequestInput<typeof openCheckoutLink>, 'client_secret'>

/** Adds links to buy. Each visit makes a checkout, and the redirect leaves what the link filled in behind. */
export function addBuyRoutes(app: FastifyInstance, options: AppOptions): void {
  app.get<LinkRoute>('/buy/:secret(^qt_cl_[\\w-]+$)', async (request, reply) => {
    // A guess of the browser or a link check is no visit.
    if (request.method === 'HEAD' || isPrefetch(request)) return reply.code(204).header('cache-control', 'no-store').send()
    const context = readPageContext(request)
    try {
      const checkout = await openLink(request, { context, options })
      return reply.header('cache-control', 'no-store').redirect(checkoutPath(checkout, context), 303)
    } catch (error) {
      if (error instanceof ApiFailure && error.status === 410) return sendEnded(reply, context)
      throw error
    }
  })
}

function isPrefetch({ headers }: FastifyRequest): boolean {
  return [headers['sec-purpose'], headers['purpose'], headers['x-moz']].some((value) => /prefetch|preview/i.test(String(value ?? '')))
}

/** Opens the link with what its address fills in. Values that the API rejects are left out: a buyer cannot correct them here. */
async function openLink(
  { params, query }: FastifyRequest<LinkRoute>,
  { context: { visitor }, options: { api } }: { context: PageContext; options: AppOptions },
): Promise<CheckoutPublic> {
  let prefill = readPrefill(query)
  for (;;) {
    try {
      return await api.call(openCheckoutLink, { client_secret: params.secret, ...prefill }, { visitor })
    } catch (error) {
      if (!(error instanceof ApiFailure) || error.status !== 422) throw error
      // A wrong shape is found before a wrong product, and that before a wrong code: each reply rejects at least one value.
      const kept = leaveOut(prefill, new Set(error.issues.map(({ loc }) => String(loc[1]))))
      if (Object.keys(kept).length === Object.keys(prefill).length) throw error
      prefill = kept
    }
  }
}

function leaveOut(prefill: Prefill, names: ReadonlySet<string>): Prefill {
  return Object.fromEntries(Object.entries(prefill).filter(([name]) => !names.has(name)))
}

function readPrefill(query: unknown): Prefill {
  const text = (name: string) => readText(query, name)?.trim() || null
  const amount = text('amount')
  return {
    product_id: text('product_id'),
    // In minor units, as everywhere in the API.
    amount: amount === null ? null : Number(amount),
    discount_code: text('discount_code'),
    customer_email: text('customer_email'),
    customer_name: text('customer_name'),
    embed_origin: text('embed_origin'),
  }
}

function checkoutPath({ client_secret }: CheckoutPublic, { language, theme, embedding }: PageContext): string {
  const query = new URLSearchParams({ locale: language, ...(theme && { theme }), ...(embedding && { embed: 'true' }) })
  return `/checkout/${client_secret}?${query.toString()}`
}

function sendEnded(reply: FastifyReply, context: PageContext): FastifyReply {
  const { link } = context.words
  return sendNotice(reply, { status: 410, context, title: link.endedTitle, body: html`<p>${link.ended}</p>` })
}

import { getCheckoutByClient } from '@quittance/contracts/checkouts'
import { ApiFailure } from '@quittance/pages/call-api'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readPageContext, readText, type AppOptions, type PageContext } from '../page/page-context.ts'
import { sendPage } from '../page/send-page.ts'
import { fillCheckoutForm, readCheckoutForm } from './checkout-form.ts'
import { buildCheckoutPage } from './checkout-page.ts'
import { sendConfirmation } from './confirmation-page.ts'
import { placeOrder } from './place-order.ts'
import { sendExpired, sendRejected } from './result-pages.ts'
import { readSale, writeSale } from './sale-cookie.ts'
import { updatePrice, type OrderOutcome } from './update-price.ts'

interface CheckoutRoute {
  Params: { secret: string }
}

/** Secrets of checkouts begin with this text, so that an organization named `checkout` keeps the address of its portal. */
const path = '/checkout/:secret(^qt_co_[\\w-]+$)'

/** Adds the hosted checkout. The secret in the path is the permission: there is no session and no cookie before an order. */
export function addCheckoutRoutes(app: FastifyInstance, options: AppOptions): void {
  const { api, scripts } = options
  const load = ({ params }: FastifyRequest<CheckoutRoute>, { visitor }: PageContext) =>
    api.call(getCheckoutByClient, { client_secret: params.secret }, { visitor })

  app.register(async (scope) => {
    scope.setErrorHandler((error, request, reply) => {
      if (error instanceof ApiFailure && error.status === 410) return sendExpired(reply, readPageContext(request))
      throw error
    })

    scope.get<CheckoutRoute>(path, async (request, reply) => {
      const context = readPageContext(request)
      const checkout = await load(request, context)
      if (checkout.status === 'failed') return sendRejected(reply, { reason: 'failed', checkout, context })
      if (checkout.status !== 'open') return reply.redirect(confirmationPath(checkout.client_secret, context), 303)
      const form = fillCheckoutForm(checkout, context)
      return sendPage(reply, buildCheckoutPage({ checkout, form, errors: [], context, script: scripts.checkout }))
    })

    scope.post<CheckoutRoute>(path, async (request, reply) => {
      const context = readPageContext(request)
      const form = readCheckoutForm(request.body)
      const intent = readText(request.body, 'switch_locale') ? 'language' : (readText(request.body, 'intent') ?? 'update')
      const change = { secret: request.params.secret, form, context, options }
      const outcome = intent === 'order' ? await placeOrder(change) : await updatePrice({ ...change, intent })
      return sendOutcome(reply, { secret: request.params.secret, outcome, context, options })
    })

    scope.get<CheckoutRoute>(`${path}/confirmation`, async (request, reply) => {
      const context = readPageContext(request)
      const checkout = await load(request, context)
      const sale = readSale(request, { cookies: options.cookies, secret: request.params.secret })
      return sendConfirmation({ checkout, context, sale, options, isWaiting: readText(request.query, 'wait') !== null }, reply)
    })

    /** Moves the session of the purchase into the cookie of the portal, without showing it in an address. */
    scope.post<CheckoutRoute>(`${path}/portal`, async (request, reply) => {
      const context = readPageContext(request)
      const { organization } = await load(request, context)
      const sale = readSale(request, { cookies: options.cookies, secret: request.params.secret })
      const portal = { name: 'qt_portal', path: `/${organization.slug}/portal` } as const
      if (sale) options.cookies.write(reply, { ...portal, value: sale.sessionToken, maxAgeSeconds: 3_600 })
      const order = (readText(request.body, 'order') ?? '').replaceAll(/[^\w-]/g, '')
      return reply.redirect(`${portal.path}${order && `/orders/${order}`}?locale=${context.language}`, 303)
    })

    /** For the script of the page after an order. */
    scope.get<CheckoutRoute>(`${path}/state`, async (request, reply) => {
      const { status } = await load(request, readPageContext(request))
      return reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }).send({ status })
    })
  })
}

interface FormReply {
  secret: string
  outcome: OrderOutcome
  context: PageContext
  options: AppOptions
}

function sendOutcome(reply: FastifyReply, { secret, outcome, context, options }: FormReply): FastifyReply {
  if (outcome.kind === 'form') return sendPage(reply, buildCheckoutPage({ ...outcome, context, script: options.scripts.checkout }))
  if (outcome.kind === 'subscribed') return sendRejected(reply, { reason: 'subscribed', checkout: outcome.checkout, context })
  if (outcome.sessionToken) writeSale(reply, { cookies: options.cookies, secret, sessionToken: outcome.sessionToken })
  // A redirect, so that reloading the next page orders nothing.
  return reply.redirect(confirmationPath(secret, context), 303)
}

/** Path of the page after the order, in the language of the form. */
function confirmationPath(secret: string, { language, theme }: PageContext): string {
  return `/checkout/${secret}/confirmation?${new URLSearchParams({ locale: language, ...(theme && { theme }) })}`
}

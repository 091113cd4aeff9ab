import type { CheckoutPublic } from '@quittance/contracts/checkout'
import { getCheckoutByClient } from '@quittance/contracts/checkouts'
import { completeSandboxAction } from '@quittance/contracts/sandbox'
import { ApiFailure } from '@quittance/pages/call-api'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readPageContext, readText, type AppOptions, type PageContext } from '../page/page-context.ts'
import { sendPage } from '../page/send-page.ts'
import { offerSession, signIn } from '../portal/portal-session.ts'
import { fillCheckoutForm, readCheckoutForm } from './checkout-form.ts'
import { buildCheckoutPage } from './checkout-page.ts'
import { sendConfirmation } from './confirmation-page.ts'
import { placeOrder } from './place-order.ts'
import { sendExpired, sendRejected } from './result-pages.ts'
import { afterStepPath, confirmationPath } from './checkout-frame.ts'
import { readSale, sealSale, writeSale } from './sale-cookie.ts'
import { updatePrice, type OrderOutcome } from './update-price.ts'

interface CheckoutRoute {
  Params: { secret: string }
}

/** Secrets of checkouts begin with this text, so that an organization named `checkout` keeps the address of its portal. */
const path = '/checkout/:secret(^qt_co_[\\w-]+$)'

/** Adds the hosted checkout. The secret in the path is the permission: there is no session and no cookie before an order. */
export function addCheckoutRoutes(app: FastifyInstance, options: AppOptions): void {
  const { api } = options
  const load = ({ params }: FastifyRequest<CheckoutRoute>, { visitor }: PageContext) =>
    api.call(getCheckoutByClient, { client_secret: params.secret }, { visitor })

  app.register(async (scope) => {
    scope.setErrorHandler((error, request, reply) => {
      if (error instanceof ApiFailure && error.status === 410) return sendExpired(reply, { context: readPageContext(request), options })
      throw error
    })

    scope.get<CheckoutRoute>(path, async (request, reply) => {
      const context = readPageContext(request)
      const checkout = await load(request, context)
      if (checkout.status === 'failed') return sendRejected(reply, { reason: 'failed', checkout, context, options })
      if (checkout.status !== 'open') return reply.redirect(confirmationPath(checkout.client_secret, context), 303)
      const form = fillCheckoutForm(checkout, context)
      return sendPage(reply, buildCheckoutPage({ checkout, form, errors: [], context, options }))
    })

    scope.post<CheckoutRoute>(path, async (request, reply) => {
      const context = readPageContext(request)
      const form = readCheckoutForm(request.body)
      const intent = readText(request.body, 'switch_locale') ? 'language' : (readText(request.body, 'intent') ?? 'update')
      const change = { secret: request.params.secret, form, context, options }
      const outcome = intent === 'order' ? await placeOrder(change) : await updatePrice({ ...change, intent })
      const isScripted = readText(request.body, 'via') === 'script'
      return sendOutcome(reply, { secret: request.params.secret, outcome, context, options, isScripted })
    })

    scope.get<CheckoutRoute>(`${path}/confirmation`, async (request, reply) => {
      const context = readPageContext(request)
      const checkout = await load(request, context)
      const sale = readSale(request, {
        cookies: options.cookies,
        secret: request.params.secret,
        sealed: findCarried(checkout, context.embedding?.sale),
      })
      return sendConfirmation({ checkout, context, sale, options, isWaiting: readText(request.query, 'wait') !== null }, reply)
    })

    scope.post<CheckoutRoute>(`${path}/sandbox-step`, async (request, reply) => {
      const context = readPageContext(request)
      return completeStep({ context, checkout: await load(request, context) }, { reply, options })
    })

    /** Moves the session of the purchase into the cookie of the portal, without showing it in an address. */
    scope.post<CheckoutRoute>(`${path}/portal`, async (request, reply) => {
      const context = readPageContext(request)
      return openPortal({ request, context, checkout: await load(request, context) }, { reply, options })
    })

    /** For the script of the page after an order. */
    scope.get<CheckoutRoute>(`${path}/state`, async (request, reply) => {
      const { status, payment_processor_metadata: metadata } = await load(request, readPageContext(request))
      const needs_action = metadata['intent_status'] === 'requires_action'
      return reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }).send({ status, needs_action })
    })
  })
}

/** A second press arrives after the step: the next page shows its result, too. */
async function completeStep(
  { context, checkout }: { context: PageContext; checkout: CheckoutPublic },
  { reply, options: { api } }: { reply: FastifyReply; options: AppOptions },
): Promise<FastifyReply> {
  const { intent_client_secret: secret } = checkout.payment_processor_metadata
  if (secret) await api.call(completeSandboxAction, { secret }, { visitor: context.visitor })
  return reply.redirect(afterStepPath(checkout.client_secret, context), 303)
}

interface PortalOpening {
  request: FastifyRequest<CheckoutRoute>
  context: PageContext
  checkout: CheckoutPublic
}

function openPortal(
  { request, context, checkout }: PortalOpening,
  { reply, options: { cookies } }: { reply: FastifyReply; options: AppOptions },
): FastifyReply {
  const { slug } = checkout.organization
  const order = (readText(request.body, 'order') ?? '').replaceAll(/[^\w-]/g, '')
  const from = { cookies, secret: request.params.secret }
  const sale = readSale(request, { ...from, sealed: null })
  const carried = sale ?? readSale(request, { ...from, sealed: findCarried(checkout, readText(request.body, 'sale')) })
  // Not from a cookie of this browser: like a link, it does not replace the session of another customer.
  if (!sale && carried) return offerSession(reply, { cookies, slug, token: carried.sessionToken, order, context })
  if (sale) signIn(reply, { cookies, slug, token: sale.sessionToken })
  return reply.redirect(`/${slug}/portal${order && `/orders/${order}`}?locale=${context.language}`, 303)
}

/** Only a checkout that may be framed carries its session along. */
function findCarried({ embed_origin }: CheckoutPublic, sealed: string | null | undefined): string | null {
  return embed_origin ? (sealed ?? null) : null
}

interface FormReply {
  secret: string
  outcome: OrderOutcome
  context: PageContext
  options: AppOptions
  /** Whether a script sent the form, which cannot follow a redirect to the seller's site. */
  isScripted: boolean
}

function sendOutcome(reply: FastifyReply, { secret, outcome, context, options, isScripted }: FormReply): FastifyReply {
  if (outcome.kind === 'form' && outcome.retryAfterSeconds) reply.header('retry-after', outcome.retryAfterSeconds)
  if (outcome.kind === 'form') return sendPage(reply, buildCheckoutPage({ ...outcome, context, options }))
  if (outcome.kind === 'subscribed' || outcome.kind === 'failed')
    return sendRejected(reply, { reason: outcome.kind, checkout: outcome.checkout, context, options })
  const sale = outcome.sessionToken ? { cookies: options.cookies, secret, sessionToken: outcome.sessionToken } : null
  if (sale) writeSale(reply, sale)
  const next = confirmationPath(secret, context, sale && context.embedding ? sealSale(sale) : null)
  if (isScripted) return reply.code(204).headers({ 'cache-control': 'no-store', 'x-next-page': next }).send()
  // A redirect, so that reloading the next page orders nothing.
  return reply.redirect(next, 303)
}

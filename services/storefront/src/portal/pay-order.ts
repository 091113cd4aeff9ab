import { setTimeout as delay } from 'node:timers/promises'
import { confirmOrderPayment, type CustomerOrderPaymentConfirmation } from '@quittance/contracts/customer-payments'
import { getPortalOrganization, type CustomerOrder } from '@quittance/contracts/customer-portal'
import { ApiFailure } from '@quittance/pages/call-api'
import type { FastifyReply } from 'fastify'
import { findProviderScript } from '../checkout/payment-methods.ts'
import { readText } from '../page/page-context.ts'
import type { Exchange } from './load-subscription.ts'
import { loadOrder } from './order-page.ts'
import { isOwed } from './owed-orders.ts'
import { sendBankStep, sendPayForm, type ChosenMeans, type Owed } from './pay-page.ts'
import type { PortalSession } from './portal-session.ts'
import { loadMethods } from './stored-methods.ts'

/** Secret of the step of the bank, so that its page can be loaded again; sent to the page of one order only. */
const stepCookie = ({ path }: PortalSession, { id }: CustomerOrder) => ({ name: 'qt_pay', path: `${path}/orders/${id}/pay` }) as const

/** A step of a bank is open for minutes. */
const stepSeconds = 1_800

/** Waits between questions for the end of a payment. */
const paymentWaitsMs = [200, 600, 1_000]
/** The same after a step of the bank, which the provider reports. */
const stepWaitsMs = [200, 600, 1_000, 1_500, 2_000, 2_500]
/** Waits between attempts while an equal request, or a payment whose step was not completed, is in progress. */
const repeatAfterMs = [300, 600, 1_200]

/** Sends the form that pays an order of a subscription, or the step of the bank of a payment. An order that is not owed leads back. */
export async function sendPay(session: PortalSession, exchange: Exchange): Promise<FastifyReply> {
  const order = await loadOrder(session, exchange)
  const { cookies } = exchange.options
  const cookie = stepCookie(session, order)
  const step = readText(exchange.request.query, 'step')
  if (step !== null) cookies.clear(exchange.reply, cookie)
  if (!isOwed(order)) return leadBack({ session, exchange, order })
  if (step === 'completed') return leadBack({ session, exchange, order: await waitForPayment(stepWaitsMs, { session, exchange, order }) })
  const owed = await loadOwed({ session, exchange, order })
  const secret = step === null ? cookies.read(exchange.request, cookie) : null
  if (secret && findProviderScript(owed.payable, exchange.options)) return sendBankStep(session, { exchange, owed, secret })
  const problem = step === 'failed' ? session.context.words.pay.stepFailed : null
  return sendPayForm(session, { exchange, owed, chosen: null, problem })
}

/** Pays. A declined payment shows the form again. */
export async function payOrder(session: PortalSession, exchange: Exchange): Promise<FastifyReply> {
  const order = await loadOrder(session, exchange)
  if (!isOwed(order)) return leadBack({ session, exchange, order })
  const text = (name: string) => (readText(exchange.request.body, name) ?? '').trim().slice(0, 255)
  const chosen = { methodId: text('payment_method_id'), token: text('confirmation_token_id') }
  const { words } = session.context
  const reject = async (problem: string) =>
    sendPayForm(session, { exchange, owed: await loadOwed({ session, exchange, order }), chosen, problem })
  if (!chosen.methodId && !chosen.token) return reject(words.errors.payment)
  try {
    const { status, client_secret: secret } = await confirm({ session, exchange, order }, chosen)
    if (status === 'requires_action' && secret) return await openStep({ session, exchange, order }, secret)
    return await leadBack({ session, exchange, order: await waitForPayment(paymentWaitsMs, { session, exchange, order }) })
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error
    if (error.error === 'PaymentError') return reject(words.checkout.declined)
    if (error.status === 422) return reject(words.pay.unusable)
    if (error.status !== 409) throw error
    return leadBack({ session, exchange, order: await loadOrder(session, exchange) })
  }
}

interface Paying {
  session: PortalSession
  exchange: Exchange
  order: CustomerOrder
}

async function loadOwed({ session, exchange, order }: Paying): Promise<Owed> {
  const { organization, call } = session
  const [stored, { payment_processor_metadata: metadata = {} }] = await Promise.all([
    loadMethods(session, exchange),
    exchange.options.api.call(getPortalOrganization, { slug: organization.slug }, { visitor: call.visitor }),
  ])
  const methods = stored.filter(({ is_blocked: isBlocked }) => !isBlocked).toSorted((a, b) => Number(b.default) - Number(a.default))
  // The card is that of later orders too.
  const payable = {
    ...{ organization, total_amount: order.total_amount, currency: order.currency, is_payment_required: true },
    payment_processor_metadata: { ...metadata, setup_future_usage: 'off_session' },
  }
  return { order, methods, payable }
}

/** Confirms the payment. The same form that is sent twice pays once, by its key. */
async function confirm(
  { session: { call }, exchange: { request, options }, order: { id } }: Paying,
  { methodId, token }: ChosenMeans,
): Promise<CustomerOrderPaymentConfirmation> {
  const once = (readText(request.body, 'once') ?? '').replaceAll(/[^\w-]/g, '').slice(0, 64)
  const means = methodId ? { payment_method_id: methodId } : { confirmation_token_id: token }
  for (let attempt = 0; ; attempt++) {
    try {
      return await options.api.call(confirmOrderPayment, { id, ...means }, { ...call, ...(once && { idempotencyKey: once }) })
    } catch (error) {
      const waitMs = repeatAfterMs[attempt]
      if (!(error instanceof ApiFailure) || error.status !== 409 || waitMs === undefined) throw error
      await delay(waitMs)
    }
  }
}

/** Returns the order once it is paid, or as it is after a while. */
async function waitForPayment(waitsMs: readonly number[], { session, exchange, order }: Paying): Promise<CustomerOrder> {
  let current = order
  for (const waitMs of waitsMs) {
    current = await loadOrder(session, exchange)
    if (!isOwed(current)) break
    await delay(waitMs)
  }
  return current
}

/** Keeps the secret of the step in a cookie: the page that opens it has no other source. */
function openStep({ session, exchange: { reply, options }, order }: Paying, secret: string): FastifyReply {
  const cookie = stepCookie(session, order)
  options.cookies.write(reply, { ...cookie, value: secret, maxAgeSeconds: stepSeconds })
  return reply.redirect(`${cookie.path}?locale=${session.context.language}`, 303)
}

/** Leads back to what the order belongs to, and states whether it is paid. */
function leadBack({ session: { path, context }, exchange: { reply }, order }: Paying): FastifyReply {
  const { id, subscription_id: subscriptionId, checkout_id: checkoutId, status } = order
  if (!subscriptionId || checkoutId) return reply.redirect(`${path}/orders/${id}?locale=${context.language}`, 303)
  const done = status === 'pending' ? 'paying' : 'paid'
  return reply.redirect(`${path}/subscriptions/${subscriptionId}?done=${done}&locale=${context.language}`, 303)
}

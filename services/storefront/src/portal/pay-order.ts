import { setTimeout as delay } from 'node:timers/promises'
import { confirmOrderPayment, type CustomerOrderPaymentConfirmation } from '@quittance/contracts/customer-payments'
import type { CustomerOrder } from '@quittance/contracts/customer-portal'
import { ApiFailure } from '@quittance/pages/call-api'
import type { FastifyReply } from 'fastify'
import { readText } from '../page/page-context.ts'
import { completeSandboxStep, hasBankStep, sendBankStep, stepSeconds, stepWaitsMs } from './bank-step.ts'
import type { Exchange } from './load-subscription.ts'
import { loadPayable } from './new-card.ts'
import { loadOrder } from './order-page.ts'
import { isOwed } from './owed-orders.ts'
import { sendPayForm, type ChosenMeans, type Owed } from './pay-page.ts'
import type { PortalSession } from './portal-session.ts'
import { sendOnce } from './send-once.ts'
import { loadMethods } from './stored-methods.ts'

/** Secret of the step of the bank, so that its page can be loaded again; sent to the page of one order only. */
const stepCookie = ({ path }: PortalSession, { id }: CustomerOrder) => ({ name: 'qt_pay', path: `${path}/orders/${id}/pay` }) as const

/** Waits between questions for the end of a payment. */
const paymentWaitsMs = [200, 600, 1_000]

/**
 * Sends the form that pays an order of a subscription, or the step of the bank of a payment. An order that is not owed, or that waits for a
 * bank transfer, leads back.
 */
export async function sendPay(session: PortalSession, exchange: Exchange): Promise<FastifyReply> {
  const order = await loadOrder(session, exchange)
  const { cookies } = exchange.options
  const cookie = stepCookie(session, order)
  const step = readText(exchange.request.query, 'step')
  if (step !== null) cookies.clear(exchange.reply, cookie)
  if (!isOwed(order) || order.transfer) return leadBack({ session, exchange, order })
  if (step === 'completed') return leadBack({ session, exchange, order: await waitForPayment(stepWaitsMs, { session, exchange, order }) })
  const owed = await loadOwed({ session, exchange, order })
  const secret = step === null ? cookies.read(exchange.request, cookie) : null
  if (secret && hasBankStep(owed.payable, exchange)) {
    const title = session.context.words.result.actionTitle
    return sendBankStep(session, { exchange, payable: owed.payable, secret, path: cookie.path, title })
  }
  const problem = step === 'failed' ? session.context.words.pay.stepFailed : null
  return sendPayForm(session, { exchange, owed, chosen: null, problem })
}

/** Pays. A declined payment shows the form again. */
export async function payOrder(session: PortalSession, exchange: Exchange): Promise<FastifyReply> {
  const order = await loadOrder(session, exchange)
  if (!isOwed(order) || order.transfer) return leadBack({ session, exchange, order })
  if (readText(exchange.request.body, 'step') === 'complete') return completeStep({ session, exchange, order })
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
  const { total_amount, currency } = order
  const [stored, payable] = await Promise.all([
    loadMethods(session, exchange),
    loadPayable(session, exchange, { total_amount, currency, is_payment_required: true }),
  ])
  const methods = stored.filter(({ is_blocked: isBlocked }) => !isBlocked).toSorted((a, b) => Number(b.default) - Number(a.default))
  return { order, methods, payable }
}

function confirm(
  { session: { call }, exchange, order: { id } }: Paying,
  { methodId, token }: ChosenMeans,
): Promise<CustomerOrderPaymentConfirmation> {
  const means = methodId ? { payment_method_id: methodId } : { confirmation_token_id: token }
  return sendOnce(exchange, (key) => exchange.options.api.call(confirmOrderPayment, { id, ...means }, { ...call, ...key }))
}

/** Returns the order once it is paid, or as it is after a while. */
async function waitForPayment(waitsMs: readonly number[], { session, exchange, order }: Paying): Promise<CustomerOrder> {
  let current = order
  for (const waitMs of waitsMs) {
    // The payment has been made: without a reply the order is shown as it was.
    const read = await loadOrder(session, exchange).catch(() => null)
    if (!read) break
    current = read
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

/** Without the secret, in another browser, the form is shown again. */
async function completeStep({ session, exchange, order }: Paying): Promise<FastifyReply> {
  const cookie = stepCookie(session, order)
  const secret = exchange.options.cookies.read(exchange.request, cookie)
  if (secret) return completeSandboxStep(session, exchange, { secret, path: cookie.path })
  return exchange.reply.redirect(`${cookie.path}?locale=${session.context.language}`, 303)
}

/** Leads back to what the order belongs to, and states whether it is paid. The page of an order that waits for a transfer shows where to send it. */
function leadBack({ session: { path, context }, exchange: { reply }, order }: Paying): FastifyReply {
  const { id, subscription_id: subscriptionId, checkout_id: checkoutId, status, voided_at: voidedAt, transfer } = order
  if (!subscriptionId || checkoutId || transfer) return reply.redirect(`${path}/orders/${id}?locale=${context.language}`, 303)
  const done = voidedAt ? '' : status === 'pending' ? 'done=paying&' : 'done=paid&'
  return reply.redirect(`${path}/subscriptions/${subscriptionId}?${done}locale=${context.language}`, 303)
}

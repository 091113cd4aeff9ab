import { getPortalOrganization } from '@quittance/contracts/customer-portal'
import { updateCustomerSubscription, type CustomerSubscription } from '@quittance/contracts/customer-subscriptions'
import { ApiFailure } from '@quittance/pages/call-api'
import { dateSentence } from '@quittance/pages/dates'
import { html, type Html } from '@quittance/pages/html'
import type { FastifyReply } from 'fastify'
import { readText } from '../page/page-context.ts'
import { describePastDue } from './describe-past-due.ts'
import { describeSum, loadSubscription, mayChangePlan, type Exchange } from './load-subscription.ts'
import { findOwedOrder, payLink } from './owed-orders.ts'
import { describePrice, subscriptionBadge } from './overview-page.ts'
import { sendPortalPage } from './portal-page.ts'
import type { PortalSession } from './portal-session.ts'
import { describeMethod } from './subscription-method-page.ts'
import { transferSection } from './transfer-section.ts'

/** Sends a subscription: its price, what happens next, and how to end it. */
export async function sendSubscription(session: PortalSession, exchange: Exchange): Promise<FastifyReply> {
  const subscription = await loadSubscription(session, exchange)
  const { context } = session
  const { portal, plan, pay, payment, method: methodWords } = context.words
  const notices = new Map([
    ['changed', plan.changed],
    ['kept', plan.kept],
    ['canceled', portal.canceled],
    ['continued', portal.takenBack],
    ['ending', portal.alreadyEnding],
    ['paid', pay.paid],
    ['paying', payment.mailFollows],
    ['method', methodWords.chosen],
  ])
  const notice = notices.get(readText(exchange.request.query, 'done') ?? '')
  const { name } = subscription.product
  const [owed, method, planned] = await Promise.all([
    findOwedOrder(subscription, { session, exchange }),
    describeMethod(subscription, session, exchange),
    plannedChange(subscription, { session, exchange }),
  ])
  const transfer = owed && transferSection(owed, context)
  const next = await describeNext(subscription, { session, exchange, isTransferAwaited: transfer !== null })
  const body = html`${notice && html`<p class="notice good" role="status">${notice}</p>`}
    <div class="row">
      <h1><bdi>${name}</bdi></h1>
      ${subscriptionBadge(subscription, context)}
    </div>
    <section class="card stack">
      <p class="strong">${describePrice(subscription, context)}</p>
      ${next && html`<p>${next}</p>`} ${method} ${owed && !transfer && html`<p class="actions">${payLink(owed, session)}</p>`} ${planned}
      ${nextStep(subscription, session)}
    </section>
    ${transfer}`
  return sendPortalPage(exchange.reply, session, { title: name, body, script: exchange.options.scripts.portal })
}

/** Describes in one sentence what happens next. */
async function describeNext(
  subscription: CustomerSubscription,
  { session, exchange, isTransferAwaited }: { session: PortalSession; exchange: Exchange; isTransferAwaited: boolean },
): Promise<Html | string> {
  const { context } = session
  const { portal, trial, pay, transferRenewal } = context.words
  const { status, ended_at, cancel_at_period_end, current_period_end: end, is_paid_by_transfer: isPaidByTransfer } = subscription
  const dated = (write: (date: string) => string, timestamp: string) => dateSentence(write, timestamp, context.locale)
  if (ended_at) return dated(portal.endedOn, ended_at)
  if (status === 'incomplete') return portal.incomplete
  // Nothing is charged: the section about the transfer states what to do.
  if (isTransferAwaited) return cancel_at_period_end && end ? dated(status === 'past_due' ? pay.paused : portal.endsOn, end) : ''
  if (status === 'past_due') return describePastDue(subscription, context)
  if (cancel_at_period_end && end) return dated(portal.endsOn, end)
  if (status === 'unpaid') return pay.unpaid
  if (status === 'trialing' && end && !subscription.has_payment_method) return dated(trial.ends, end)
  // The notice of the planned change states what comes next.
  if (!end || subscription.pending_product_id) return ''
  const sum = await describeSum(subscription.next_amount ?? subscription.amount, { subscription, session, exchange })
  return dated((date) => (isPaidByTransfer ? transferRenewal.nextRequest : portal.nextCharge)(sum, date), end)
}

/** What the subscription changes to with the next period, and the way to keep the current plan. */
async function plannedChange(
  { id, pending_product_id: planned, current_period_end: end }: CustomerSubscription,
  { session: { context, organization, path, call }, exchange }: { session: PortalSession; exchange: Exchange },
): Promise<Html | null> {
  const { plan } = context.words
  if (!planned || !end) return null
  const { products } = await exchange.options.api.call(getPortalOrganization, { slug: organization.slug }, { visitor: call.visitor })
  const name = products.find((product) => product.id === planned)?.name ?? '…'
  return html`<p class="notice">${dateSentence((date) => plan.planned(name, date), end, context.locale)}</p>
    <form class="actions" method="post" action="${path}/subscriptions/${id}">
      <input type="hidden" name="locale" value="${context.language}" />
      <button class="button" name="intent" value="keep">${plan.keep}</button>
    </form>`
}

function nextStep(subscription: CustomerSubscription, session: PortalSession): Html | null {
  const { id, ended_at, status, cancel_at_period_end } = subscription
  const { context, path } = session
  const { portal, plan } = context.words
  if (ended_at || status === 'incomplete') return null
  if (!cancel_at_period_end) {
    const change = html`<a class="button" href="${path}/subscriptions/${id}/change?locale=${context.language}">${plan.change}</a>`
    return html`<p class="actions">
      ${mayChangePlan(subscription, session) && change}
      <a class="button" href="${path}/subscriptions/${id}/cancel?locale=${context.language}">${portal.cancel}</a>
    </p>`
  }
  return html`<form class="actions" method="post" action="${path}/subscriptions/${id}">
    <input type="hidden" name="locale" value="${context.language}" />
    <button class="button primary" name="intent" value="continue">${portal.takeBack}</button>
  </form>`
}

/** Sends the one page between a customer and the end of the subscription. No reason is demanded. */
export async function sendCancel(session: PortalSession, exchange: Exchange): Promise<FastifyReply> {
  const subscription = await loadSubscription(session, exchange)
  const { id, product, cancel_at_period_end, ended_at } = subscription
  const { context, path } = session
  const { portal } = context.words
  if (cancel_at_period_end || ended_at) return exchange.reply.redirect(`${path}/subscriptions/${id}`, 303)
  const title = portal.cancelTitle(product.name)
  const body = html`<form class="card stack" method="post" action="${path}/subscriptions/${id}">
    <input type="hidden" name="locale" value="${context.language}" />
    <h1>${title}</h1>
    <p>${describeCancellation(subscription, session)}</p>
    <p class="actions">
      <button class="button primary" name="intent" value="cancel">${portal.cancelNow}</button>
      <a class="button" href="${path}/subscriptions/${id}?locale=${context.language}">${portal.keep}</a>
    </p>
  </form>`
  return sendPortalPage(exchange.reply, session, { title, body, script: exchange.options.scripts.portal })
}

/** After a failed payment there is no access until it succeeds. One that is unpaid has no paid time left. */
function describeCancellation({ status, current_period_end: end }: CustomerSubscription, { context }: PortalSession): Html | string {
  const { portal, pay } = context.words
  if (status === 'unpaid') return pay.endsNow
  return end ? dateSentence(status === 'past_due' ? pay.paused : portal.cancelConsequence, end, context.locale) : ''
}

/** What each button of the forms changes, and the notice about it. */
const changes = new Map([
  ['cancel', { change: { cancel_at_period_end: true }, done: 'canceled' }],
  ['continue', { change: { cancel_at_period_end: false }, done: 'continued' }],
  ['keep', { change: { pending_update: null }, done: 'kept' }],
] as const)

/** Cancels at the end of the period, takes the cancellation back, or drops the planned change. A form without its button changes nothing. */
export async function changeSubscription(session: PortalSession, { request, reply, options: { api } }: Exchange): Promise<FastifyReply> {
  const { id } = request.params
  const intent = changes.get(readText(request.body, 'intent') as 'cancel')
  const back = (done: string) => reply.redirect(`${session.path}/subscriptions/${id}?done=${done}&locale=${session.context.language}`, 303)
  if (!intent) return back('')
  try {
    await api.call(updateCustomerSubscription, { id, ...intent.change }, session.call)
    return back(intent.done)
  } catch (error) {
    // Pressed twice, or in another tab: there is no cancellation to take back.
    if (error instanceof ApiFailure && error.error === 'BadRequest' && intent.done === 'continued') return back(intent.done)
    if (error instanceof ApiFailure && (error.status === 403 || error.status === 410)) return back('ending')
    throw error
  }
}

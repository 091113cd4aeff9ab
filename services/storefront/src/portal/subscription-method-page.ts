import type { CustomerPaymentMethod } from '@quittance/contracts/customer-payment-methods'
import { updateCustomerSubscription, type CustomerSubscription } from '@quittance/contracts/customer-subscriptions'
import { ApiFailure } from '@quittance/pages/call-api'
import { dateSentence } from '@quittance/pages/dates'
import { errorSummary, type FormError } from '@quittance/pages/fields'
import { html, type Html } from '@quittance/pages/html'
import type { FastifyReply } from 'fastify'
import { readText } from '../page/page-context.ts'
import { describeSum, loadSubscription, type Exchange } from './load-subscription.ts'
import { newMethodPath } from './new-method-page.ts'
import { sendPortalPage } from './portal-page.ts'
import type { PortalSession } from './portal-session.ts'
import { loadMethods, methodChoice, nameMethod } from './stored-methods.ts'

/** Whether a subscription is charged without the buyer, or will be. An unpaid one is not: its buyer pays on the page of the order. */
export function isCharged({ status, ended_at, cancel_at_period_end: isEnding, amount }: CustomerSubscription): boolean {
  return ended_at === null && status !== 'incomplete' && status !== 'unpaid' && !isEnding && amount > 0
}

/** Returns the path of the page that chooses the payment method of a subscription. */
export function subscriptionMethodPath({ path }: PortalSession, { id }: CustomerSubscription): string {
  return `${path}/subscriptions/${id}/method`
}

/** Returns the method that a subscription is charged to: the one that it names, otherwise the default one if it uses that. */
function findMethod(
  { payment_method_id: named, uses_default_payment_method: usesDefault, status }: CustomerSubscription,
  methods: readonly CustomerPaymentMethod[],
): CustomerPaymentMethod | undefined {
  return methods.find(({ id, default: isDefault }) => (named ? id === named : usesDefault && status !== 'trialing' && isDefault))
}

/** Names the method of a subscription, and links to the page that chooses another one. */
export async function describeMethod(subscription: CustomerSubscription, session: PortalSession, exchange: Exchange): Promise<Html | null> {
  if (!isCharged(subscription)) return null
  const { words, language } = session.context
  const method = findMethod(subscription, await loadMethods(session, exchange))
  // A buyer who sends the money has none, and a session bound to a checkout sees none.
  if (!method && !isFirstChoiceOfTrial(subscription)) return null
  return html`<p class="row">
    <span>${method ? words.method.paidWith(nameMethod(method)) : words.method.noMethod}</span>
    <a href="${subscriptionMethodPath(session, subscription)}?locale=${language}">${words.method.choose}</a>
  </p>`
}

/** Sends the form that chooses the stored method of a subscription. */
export async function sendSubscriptionMethod(session: PortalSession, exchange: Exchange): Promise<FastifyReply> {
  return sendForm(session, exchange, null)
}

/** Chooses the method, which is charged at once with what is overdue. */
export async function chooseSubscriptionMethod(session: PortalSession, exchange: Exchange): Promise<FastifyReply> {
  const { id } = exchange.request.params
  const methodId = (readText(exchange.request.body, 'payment_method_id') ?? '').trim().slice(0, 255)
  const { words, language } = session.context
  try {
    await exchange.options.api.call(updateCustomerSubscription, { id, payment_method_id: methodId }, session.call)
    return await exchange.reply.redirect(`${session.path}/subscriptions/${id}?done=method&locale=${language}`, 303)
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error
    if (error.status === 422) return sendForm(session, exchange, words.pay.unusable)
    if (error.error === 'NotPermitted') return sendForm(session, exchange, words.portal.changeNotAllowed)
    // It has ended since; the form leads back to it.
    if (error.error === 'AlreadyCanceledSubscription') return sendForm(session, exchange, null)
    throw error
  }
}

async function sendForm(session: PortalSession, exchange: Exchange, problem: string | null): Promise<FastifyReply> {
  const [subscription, stored] = await Promise.all([loadSubscription(session, exchange), loadMethods(session, exchange)])
  const { context, path } = session
  const { common, method: words, portal } = context.words
  const back = `${path}/subscriptions/${subscription.id}?locale=${context.language}`
  if (!isCharged(subscription)) return exchange.reply.redirect(back, 303)
  const methods = stored.filter(({ is_blocked: isBlocked }) => !isBlocked)
  const selected = methods.find(({ id }) => id === subscription.payment_method_id) ?? methods[0]
  const title = words.chooseTitle(subscription.product.name)
  const errors: FormError[] = problem ? [{ field: 'payment_method_id', message: problem }] : []
  const choice = { legend: context.words.pay.means, methods, selected: selected?.id ?? '', other: null, error: problem }
  const body = html`${errorSummary(common.problem, errors)}
    <form class="card stack" method="post" action="${subscriptionMethodPath(session, subscription)}" novalidate>
      <h1>${title}</h1>
      <input type="hidden" name="locale" value="${context.language}" />
      ${selected ? html`${methodChoice(context, choice)} ${await describeCharge(subscription, session, exchange)}` : html`<p>${words.none}</p>`}
      <p class="actions">
        ${selected && html`<button class="button primary">${nameButton(subscription, session)}</button>`}
        <a class="button" href="${newMethodPath(session)}?locale=${context.language}">${words.add}</a>
        <a class="button" href="${back}">${portal.keep}</a>
      </p>
    </form>`
  return sendPortalPage(exchange.reply, session, {
    title: problem ? common.titleError(title) : title,
    body,
    script: exchange.options.scripts.portal,
    status: problem ? 422 : 200,
  })
}

/** States what is charged: for a trial, which costs only with this choice, as before the order of one. */
async function describeCharge(subscription: CustomerSubscription, session: PortalSession, exchange: Exchange): Promise<Html> {
  const { trial, method } = session.context.words
  const { amount, next_amount: next = amount, recurring_interval: interval, current_period_end: end } = subscription
  if (!isFirstChoiceOfTrial(subscription) || !end) return html`<p class="quiet">${method.chooseText}</p>`
  const describe = (sum: number) => describeSum(sum, { subscription, session, exchange })
  const charged = interval === 'year' ? trial.chargedYearly : trial.chargedMonthly
  const [first, later] = [await describe(next), await describe(amount)]
  return html`<p class="strong">${dateSentence((date) => charged(first, date, later), end, session.context.locale)}</p>`
}

/** The button that makes a trial cost has the words that the order of one has. */
function nameButton(subscription: CustomerSubscription, { context: { words } }: PortalSession): string {
  return isFirstChoiceOfTrial(subscription) ? words.checkout.orderEea : words.method.chooseNow
}

function isFirstChoiceOfTrial({ status, payment_method_id: methodId }: CustomerSubscription): boolean {
  return status === 'trialing' && !methodId
}

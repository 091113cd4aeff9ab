import { getPortalOrganization } from '@quittance/contracts/customer-portal'
import { previewCustomerSubscriptionChange, updateCustomerSubscription } from '@quittance/contracts/customer-subscriptions'
import type { CustomerOrganization } from '@quittance/contracts/customer-portal'
import type { CustomerSubscription } from '@quittance/contracts/customer-subscriptions'
import type { PreviewedOrder, SubscriptionChangePreview } from '@quittance/contracts/subscription-changes'
import { ApiFailure } from '@quittance/pages/call-api'
import { dateSentence } from '@quittance/pages/dates'
import { html, type Html } from '@quittance/pages/html'
import type { FastifyReply } from 'fastify'
import { createMoneyFormat } from '../checkout/order-summary.ts'
import { describeProductPrice } from '../checkout/product-fields.ts'
import { readText } from '../page/page-context.ts'
import { orderLines } from './order-lines.ts'
import { sendPortalPage } from './portal-page.ts'
import type { PortalSession } from './portal-session.ts'
import { loadSubscription, mayChangePlan, type Exchange } from './load-subscription.ts'

/** Without it, the change is as the seller has set. */
const nextPeriod = { proration_behavior: 'next_period' } as const

type Product = CustomerOrganization['products'][number]

/** Sends the choice of plans or, with a chosen one, what it costs: nothing is changed before the button of that page is pressed. */
export async function sendPlan(session: PortalSession, exchange: Exchange): Promise<FastifyReply> {
  const subscription = await loadSubscription(session, exchange)
  const { path } = session
  if (!mayChangePlan(subscription, session)) return exchange.reply.redirect(`${path}/subscriptions/${subscription.id}`, 303)
  const wanted = readText(exchange.request.query, 'product_id')
  // The button was pressed twice.
  if (wanted === subscription.product_id) return exchange.reply.redirect(findResult(subscription, session), 303)
  const products = await listPlans(subscription, { session, exchange })
  const chosen = products.find(({ id }) => id === wanted)
  if (!chosen) return sendChoice(subscription, { session, exchange, products })
  const isLater = readText(exchange.request.query, 'when') === 'later'
  try {
    const preview = await exchange.options.api.call(
      previewCustomerSubscriptionChange,
      { id: subscription.id, product_id: chosen.id, ...(isLater && nextPeriod) },
      session.call,
    )
    return sendPreview(subscription, { session, exchange, chosen, preview })
  } catch (error) {
    const problem = describeProblem(error, session)
    if (problem === null) throw error
    return sendChoice(subscription, { session, exchange, products, problem })
  }
}

/** Changes the plan as it was previewed. If that no longer holds, or its charge is declined, it is previewed again. */
export async function changePlan(session: PortalSession, { request, reply, options: { api } }: Exchange): Promise<FastifyReply> {
  const { id } = request.params
  const { path, context } = session
  const [productId, previewedAt] = [readText(request.body, 'product_id') ?? '', readText(request.body, 'previewed_at') ?? '']
  const isLater = readText(request.body, 'when') === 'later'
  const later = isLater ? '&when=later' : ''
  try {
    const changed = await api.call(
      updateCustomerSubscription,
      { id, product_id: productId, previewed_at: previewedAt, ...(isLater && nextPeriod) },
      session.call,
    )
    return await reply.redirect(isLater ? `${path}/subscriptions/${id}?locale=${context.language}` : findResult(changed, session), 303)
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.status >= 500 || error.status === 404 || error.status === 429) throw error
    const reason = error.error === 'PaymentError' ? 'declined' : 'outdated'
    const query = `product_id=${encodeURIComponent(productId)}${later}&${reason}=1&locale=${context.language}`
    return reply.redirect(`${path}/subscriptions/${id}/change?${query}`, 303)
  }
}

/** Returns the page that shows the outcome of a change: the one that pays it, if only the buyer can. */
function findResult(
  { id, unpaid_change_order_id: unpaid, is_change_payable: isPayable }: CustomerSubscription,
  { path, context }: PortalSession,
): string {
  if (unpaid && isPayable) return `${path}/orders/${unpaid}/pay?locale=${context.language}`
  return `${path}/subscriptions/${id}?done=${unpaid ? 'paying' : 'changed'}&locale=${context.language}`
}

/** The seller and its offer can change between two pages. */
function describeProblem(error: unknown, { path, context }: PortalSession): Html | string | null {
  const { plan, portal } = context.words
  const { impossible, unpaid, addressMissing } = plan
  if (!(error instanceof ApiFailure)) return null
  if (error.issues.some(({ type }) => type === 'missing_billing_address'))
    return html`${addressMissing} <a href="${path}/details?locale=${context.language}">${portal.details}</a>`
  if (error.error === 'SubscriptionUpdatePending') return unpaid
  return error.status === 422 ? impossible : null
}

interface Choosing {
  session: PortalSession
  exchange: Exchange
}

async function listPlans(
  subscription: CustomerSubscription,
  { session: { organization, call }, exchange }: Choosing,
): Promise<readonly Product[]> {
  const { products } = await exchange.options.api.call(getPortalOrganization, { slug: organization.slug }, { visitor: call.visitor })
  const isFixed = ({ prices }: Product) => currentPrice(prices)?.amount_type !== 'custom'
  return products.filter((product) => product.recurring_interval && product.id !== subscription.product_id && isFixed(product))
}

const currentPrice = (prices: Product['prices']) => prices.find(({ is_archived: isArchived }) => !isArchived)

function sendChoice(
  { id, product }: CustomerSubscription,
  { session, exchange, products, problem }: Choosing & { products: readonly Product[]; problem?: Html | string },
): FastifyReply {
  const { context, path } = session
  const { plan, portal } = context.words
  const title = plan.title(product.name)
  const back = html`<a class="button" href="${path}/subscriptions/${id}?locale=${context.language}">${portal.keep}</a>`
  const option = (each: Product, index: number) =>
    html`<label class="choice">
      <input type="radio" name="product_id" value="${each.id}" ${index === 0 && html`checked`} />
      <span><bdi>${each.name}</bdi></span>
      <span class="quiet">${describeProductPrice(each, { price: currentPrice(each.prices), context })}</span>
    </label>`
  const body = html`${problem && html`<p class="notice" role="alert">${problem}</p>`}
    <form class="card stack" method="get" action="${path}/subscriptions/${id}/change">
      <input type="hidden" name="locale" value="${context.language}" />
      <h1>${title}</h1>
      ${
        products.length === 0
          ? html`<p>${plan.none}</p>
              <p class="actions">${back}</p>`
          : html`<fieldset>
                <legend>${plan.choose}</legend>
                ${products.map((each, index) => option(each, index))}
              </fieldset>
              <p class="actions"><button class="button primary">${plan.show}</button> ${back}</p>`
      }
    </form>`
  return sendPortalPage(exchange.reply, session, { title, body, script: exchange.options.scripts.portal, status: problem ? 422 : 200 })
}

interface Previewed extends Choosing {
  chosen: Product
  preview: SubscriptionChangePreview
}

function sendPreview(subscription: CustomerSubscription, { session, exchange, chosen, preview }: Previewed): FastifyReply {
  const { id, product } = subscription
  const { context, path } = session
  const { plan, portal } = context.words
  const { due_now: dueNow, next_order: next } = preview
  const isLater = preview.proration_behavior === 'next_period'
  const title = plan.confirmTitle(product.name, chosen.name)
  const here = `${path}/subscriptions/${id}/change`
  const isGiven = (name: string) => readText(exchange.request.query, name) !== null
  const notice = isGiven('declined') ? context.words.checkout.declined : isGiven('outdated') ? plan.outdated : null
  const body = html`${notice && html`<p class="notice" role="alert">${notice}</p>`}
    <form class="card stack" method="post" action="${here}">
      <input type="hidden" name="locale" value="${context.language}" />
      <input type="hidden" name="product_id" value="${chosen.id}" />
      <input type="hidden" name="previewed_at" value="${preview.previewed_at}" />
      ${isLater && html`<input type="hidden" name="when" value="later" />`}
      <h1><bdi>${title}</bdi></h1>
      <h2>${plan.today}</h2>
      ${dueNow && dueNow.total_amount > 0 ? previewedLines(dueNow, context) : html`<p>${plan.nothing}</p>`}
      <h2>${dateSentence(plan.next, next.at, context.locale)}</h2>
      ${previewedLines(next, context)}
      <p class="actions">
        <button class="button primary">${nameButton(preview, session)}</button>
        <a class="button" href="${path}/subscriptions/${id}?locale=${context.language}">${portal.keep}</a>
      </p>
      <p class="actions">
        <a href="${here}?locale=${context.language}">${plan.back}</a>
        ${!isLater && laterLink(subscription, { session, chosen })}
      </p>
    </form>`
  return sendPortalPage(exchange.reply, session, { title, body, script: exchange.options.scripts.portal })
}

function previewedLines(order: PreviewedOrder, context: PortalSession['context']): Html {
  const taxes = order.tax_amount === 0 ? [] : [{ name: context.words.checkout.tax, amount: order.tax_amount }]
  return orderLines({ ...order, taxes }, context)
}

/** The button states the sum that it charges. */
function nameButton(
  { due_now: dueNow, next_order: next, proration_behavior: behavior }: SubscriptionChangePreview,
  { context }: PortalSession,
): Html | string {
  const { plan } = context.words
  if (behavior === 'next_period') return dateSentence(plan.plan, next.at, context.locale)
  if (!dueNow || dueNow.total_amount <= 0) return plan.apply
  return plan.pay(createMoneyFormat(dueNow.currency, context)(dueNow.total_amount))
}

function laterLink(
  { id, current_period_end: end }: CustomerSubscription,
  { session: { context, path }, chosen }: { session: PortalSession; chosen: Product },
): Html | null {
  if (!end) return null
  const query = `product_id=${chosen.id}&when=later&locale=${context.language}`
  return html`<a href="${path}/subscriptions/${id}/change?${query}">${dateSentence(context.words.plan.later, end, context.locale)}</a>`
}

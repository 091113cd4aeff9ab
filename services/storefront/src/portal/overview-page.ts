import { listCustomerBenefitGrants, type CustomerBenefitGrant } from '@quittance/contracts/customer-benefit-grants'
import { listCustomerOrders, type CustomerOrder } from '@quittance/contracts/customer-portal'
import { listCustomerSubscriptions, type CustomerSubscription } from '@quittance/contracts/customer-subscriptions'
import {
  getCustomerLicenseKey,
  listCustomerLicenseKeys,
  type LicenseKeyRead,
  type LicenseKeyWithActivations,
} from '@quittance/contracts/license-keys'
import { dateElement } from '@quittance/pages/dates'
import { html, type Html } from '@quittance/pages/html'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createMoneyFormat } from '../checkout/order-summary.ts'
import { keyBox } from '../checkout/success-page.ts'
import { readText, type AppOptions, type PageContext } from '../page/page-context.ts'
import { badge, sendPortalPage } from './portal-page.ts'
import type { PortalSession } from './portal-session.ts'

interface Exchange {
  request: FastifyRequest
  reply: FastifyReply
  options: AppOptions
}

/** Sends the overview: subscriptions, orders, and the ways to benefits and details. */
export async function sendOverview(session: PortalSession, { request, reply, options: { api, scripts } }: Exchange): Promise<FastifyReply> {
  const { context, call, organization, path } = session
  const { portal } = context.words
  const page = Math.max(1, Math.min(1_000, Number.parseInt(readText(request.query, 'page') ?? '1', 10) || 1))
  const own = { organization_id: organization.id }
  const [orders, subscriptions] = await Promise.all([
    api.call(listCustomerOrders, { ...own, page, limit: 10 }, call),
    api.call(listCustomerSubscriptions, { ...own, limit: 20 }, call),
  ])
  const body = html`<h1>${portal.title(organization.name)}</h1>
    <section class="card stack" aria-labelledby="subscriptions" ${subscriptions.items.length === 0 && html`hidden`}>
      <h2 id="subscriptions">${portal.subscriptions}</h2>
      <ul class="rows">
        ${subscriptions.items.map((subscription) => subscriptionRow(subscription, session))}
      </ul>
    </section>
    <section class="card stack" aria-labelledby="orders">
      <h2 id="orders">${portal.orders}</h2>
      ${orders.items.length === 0 && html`<p class="quiet">${portal.noOrders}</p>`}
      <ul class="rows">
        ${orders.items.map((order) => orderRow(order, session))}
      </ul>
      ${pageLinks({ page, last: orders.pagination.max_page, session })}
    </section>
    <ul class="card rows">
      <li><a href="${path}/benefits?locale=${context.language}">${portal.benefits}</a></li>
      <li><a href="${path}/payment-methods?locale=${context.language}">${context.words.method.title}</a></li>
      <li><a href="${path}/details?locale=${context.language}">${portal.details}</a></li>
    </ul>`
  return sendPortalPage(reply, session, { title: portal.title(organization.name), body, script: scripts.portal, hasWayBack: false })
}

function orderRow(order: CustomerOrder, { context, path }: PortalSession): Html {
  const money = createMoneyFormat(order.currency, context)
  return html`<li class="row">
    <span>
      <a href="${path}/orders/${order.id}?locale=${context.language}"><bdi>${order.description}</bdi></a
      ><br />
      <span class="quiet">${dateElement(order.created_at, context.locale)}</span>
    </span>
    <span class="actions">${orderBadge(order, context)} <span class="number">${money(order.total_amount)}</span></span>
  </li>`
}

/** Renders the state of an order. */
export function orderBadge({ status, voided_at: voidedAt }: CustomerOrder, { words }: PageContext): Html {
  if (status === 'paid') return badge('good', words.status.paid)
  if (status === 'pending') return voidedAt ? badge('quiet', words.status.voided) : badge('warn', words.status.pending)
  return badge('quiet', status === 'refunded' ? words.status.refunded : words.status.partiallyRefunded)
}

function subscriptionRow(subscription: CustomerSubscription, { context, path }: PortalSession): Html {
  return html`<li class="row">
    <span>
      <a href="${path}/subscriptions/${subscription.id}?locale=${context.language}"><bdi>${subscription.product.name}</bdi></a
      ><br />
      <span class="quiet">${describePrice(subscription, context)}</span>
    </span>
    ${subscriptionBadge(subscription, context)}
  </li>`
}

/** Describes what a subscription costs per period. */
export function describePrice({ amount, currency, recurring_interval }: CustomerSubscription, context: PageContext): string {
  const sum = createMoneyFormat(currency, context)(amount)
  return recurring_interval === 'month' ? context.words.checkout.everyMonth(sum) : context.words.checkout.everyYear(sum)
}

/** Renders the state of a subscription. */
export function subscriptionBadge({ status, cancel_at_period_end }: CustomerSubscription, { words }: PageContext): Html {
  if (status === 'past_due' || status === 'unpaid') return badge('bad', words.status.pastDue)
  if (status === 'canceled' || status === 'incomplete_expired') return badge('quiet', words.status.canceled)
  if (status === 'incomplete') return badge('warn', words.status.incomplete)
  if (cancel_at_period_end) return badge('warn', words.status.ends)
  return badge('good', status === 'trialing' ? words.status.trialing : words.status.active)
}

function pageLinks({ page, last, session: { context, path } }: { page: number; last: number; session: PortalSession }): Html | null {
  const { portal } = context.words
  const link = (to: number, text: string) => html`<a href="${path}?page=${to}&amp;locale=${context.language}">${text}</a>`
  if (last < 2) return null
  return html`<p class="actions">${page > 1 && link(page - 1, portal.newerOrders)} ${page < last && link(page + 1, portal.olderOrders)}</p>`
}

/** Sends the benefits of the customer, with the keys and how often they are used. */
export async function sendBenefits(session: PortalSession, { reply, options: { api, scripts } }: Exchange): Promise<FastifyReply> {
  const { context, call, organization } = session
  const { portal } = context.words
  const own = { organization_id: organization.id, limit: 50 }
  const [grants, keys] = await Promise.all([api.call(listCustomerBenefitGrants, own, call), api.call(listCustomerLicenseKeys, own, call)])
  // Only the read of one key has its activations; a page makes few calls.
  const activated = keys.items.filter(({ limit_activations: limit }) => limit !== null).slice(0, maxDetailedKeys)
  const detailed = await Promise.all(activated.map(({ id }) => api.call(getCustomerLicenseKey, { id }, call)))
  const body = html`<h1>${portal.benefits}</h1>
    <section class="card">
      ${grants.items.length === 0 && html`<p class="quiet">${portal.noBenefits}</p>`}
      <ul class="rows">
        ${grants.items.map((grant) => benefitRow(grant, { keys: [...detailed, ...keys.items], context }))}
      </ul>
    </section>`
  return sendPortalPage(reply, session, { title: portal.benefits, body, script: scripts.portal })
}

function benefitRow(
  { benefit, properties }: CustomerBenefitGrant,
  { keys, context }: { keys: (LicenseKeyRead & Partial<LicenseKeyWithActivations>)[]; context: PageContext },
): Html {
  const { portal, status } = context.words
  const key = keys.find(({ id }) => id === properties['license_key_id'])
  const note = benefit.type === 'custom' ? benefit.properties.note : null
  const limit = key?.limit_usage ?? null
  return html`<li class="stack-small">
    <p class="row">
      <span class="strong"><bdi>${benefit.description}</bdi></span>
      ${key && badge(key.status === 'granted' ? 'good' : 'quiet', status[key.status])}
    </p>
    ${note && html`<p class="quiet"><bdi>${note}</bdi></p>`} ${key && keyBox(key.key, context)}
    ${key?.expires_at && html`<p class="quiet">${portal.expires} ${dateElement(key.expires_at, context.locale)}</p>`}
    ${key && limit !== null && html`<p class="quiet">${portal.uses(key.usage, limit)}</p>`} ${key && activationList(key, context)}
  </li>`
}

/** Keys read together with their activations on one page. */
const maxDetailedKeys = 4

/** The devices that use a key, where the benefit shows them to customers. */
function activationList({ activations = [] }: Partial<LicenseKeyWithActivations>, { words, locale }: PageContext): Html | null {
  if (activations.length === 0) return null
  return html`<p class="strong">${words.account.activations}</p>
    <ul class="rows">
      ${activations.map(
        ({ label, created_at }) =>
          html`<li><bdi>${label}</bdi> <span class="quiet">${words.account.activatedOn} ${dateElement(created_at, locale)}</span></li>`,
      )}
    </ul>`
}

import { listCustomerOrders, type CustomerOrder } from '@quittance/contracts/customer-portal'
import type { CustomerSubscription } from '@quittance/contracts/customer-subscriptions'
import { dateElement } from '@quittance/pages/dates'
import { html, type Html } from '@quittance/pages/html'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createMoneyFormat } from '../checkout/order-summary.ts'
import type { AppOptions, PageContext } from '../page/page-context.ts'
import { pageLinks, readPage, toPageParameters, type PagedList } from './list-pages.ts'
import { listSubscriptions } from './list-subscriptions.ts'
import { badge, sendPortalPage } from './portal-page.ts'
import type { PortalSession } from './portal-session.ts'

interface Exchange {
  request: FastifyRequest
  reply: FastifyReply
  options: AppOptions
}

/** Sends the overview: subscriptions, orders, and the ways to benefits and details. */
export async function sendOverview(session: PortalSession, { request, reply, options }: Exchange): Promise<FastifyReply> {
  const { context, call, organization, path } = session
  const { portal } = context.words
  const page = readPage(request, 'page')
  const subscriptionsPage = readPage(request, 'subscriptions_page')
  const [orders, subscriptions] = await Promise.all([
    options.api.call(listCustomerOrders, { organization_id: organization.id, page, limit: 10 }, call),
    listSubscriptions(subscriptionsPage, session, options),
  ])
  const subscriptionPages: PagedList = {
    path,
    parameter: 'subscriptions_page',
    page: subscriptionsPage,
    last: subscriptions.last,
    name: portal.subscriptions,
    heading: 'subscriptions',
    others: { page },
  }
  const orderPages: PagedList = {
    path,
    parameter: 'page',
    page,
    last: orders.pagination.max_page,
    name: portal.orders,
    heading: 'orders',
    others: { subscriptions_page: subscriptionsPage },
    texts: { previous: portal.newerOrders, next: portal.olderOrders },
  }
  const body = html`<h1>${portal.title(organization.name)}</h1>
    <section class="card stack" aria-labelledby="subscriptions" ${subscriptions.total === 0 && html`hidden`}>
      <h2 id="subscriptions">${portal.subscriptions}</h2>
      <ul class="rows">
        ${subscriptions.items.map((subscription) => subscriptionRow(subscription, session))}
      </ul>
      ${pageLinks(subscriptionPages, context)}
    </section>
    <section class="card stack" aria-labelledby="orders">
      <h2 id="orders">${portal.orders}</h2>
      ${orders.pagination.total_count === 0 && html`<p class="quiet">${portal.noOrders}</p>`}
      <ul class="rows">
        ${orders.items.map((order) => orderRow(order, session))}
      </ul>
      ${pageLinks(orderPages, context)}
    </section>
    <ul class="card rows">
      <li><a href="${path}/benefits?locale=${context.language}">${portal.benefits}</a></li>
      <li><a href="${path}/payment-methods?locale=${context.language}">${context.words.method.title}</a></li>
      <li><a href="${path}/details?locale=${context.language}">${portal.details}</a></li>
    </ul>`
  return sendPortalPage(reply, session, {
    title: portal.title(organization.name),
    body,
    script: options.scripts.portal,
    hasWayBack: false,
    kept: toPageParameters({ page, subscriptions_page: subscriptionsPage }),
  })
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

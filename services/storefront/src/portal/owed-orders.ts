import { listCustomerOrders, type CustomerOrder } from '@quittance/contracts/customer-portal'
import { type CustomerSubscription } from '@quittance/contracts/customer-subscriptions'
import { html, type Html } from '@quittance/pages/html'
import type { FastifyReply } from 'fastify'
import { loadSubscription, type Exchange } from './load-subscription.ts'
import type { PortalSession } from './portal-session.ts'

/**
 * Whether the customer can pay an order in the portal: it was billed by a subscription, not by a checkout. The unpaid period of a subscription
 * that has ended is not owed any more; prorations are.
 */
export function isOwed({ status, voided_at, subscription, checkout_id, items }: CustomerOrder): boolean {
  if (status !== 'pending' || voided_at || subscription === null || checkout_id) return false
  return subscription.ended_at === null || items.every(({ proration }) => proration)
}

/** Newest orders of a subscription that are searched; more are not billed while one is unpaid. */
const maxOrders = 20

/** Returns the oldest order that waits for a bank transfer, else the oldest that a subscription owes; null if no payment failed or is awaited. */
export async function findOwedOrder(
  { id, status, ended_at: endedAt, is_change_payable: isChangePayable }: CustomerSubscription,
  { session: { call }, exchange }: { session: PortalSession; exchange: Exchange },
): Promise<CustomerOrder | null> {
  if (endedAt || status === 'trialing') return null
  const { items } = await exchange.options.api.call(listCustomerOrders, { subscription_id: [id], limit: maxOrders }, call)
  const awaited = items.findLast(({ transfer }) => transfer)
  if (awaited) return awaited
  const mayBeOwed = status === 'past_due' || status === 'unpaid' || isChangePayable
  return (mayBeOwed && items.findLast(isOwed)) || null
}

/** Links to the page that pays an order. */
export function payLink({ id }: CustomerOrder, { context, path }: PortalSession): Html {
  return html`<a class="button primary" href="${path}/orders/${id}/pay?locale=${context.language}">${context.words.pay.open}</a>`
}

/** Redirects the link of a mail to the page that pays what the subscription owes, or to the subscription if it owes nothing now. */
export async function redirectToOwedOrder(session: PortalSession, exchange: Exchange): Promise<FastifyReply> {
  const { context, path } = session
  const subscription = await loadSubscription(session, exchange)
  const order = await findOwedOrder(subscription, { session, exchange })
  const target = order ? `orders/${order.id}/pay` : `subscriptions/${subscription.id}`
  return exchange.reply.redirect(`${path}/${target}?locale=${context.language}`, 303)
}

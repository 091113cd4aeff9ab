import { LockMode } from '@mikro-orm/core'
import type { Transaction } from '@quittance/runtime/handler'
import { Order } from '../orders/order.ts'
import { takeBackCredit } from '../pricing/returnable.ts'
import type { ReservedRefund } from '../refunds/create-refund.ts'
import { findAllPendingProrations, Proration, unbilled } from './prorations.ts'
import { Subscription } from './subscription.ts'

/**
 * Takes back credits for unused time that the refund of an order returns as money: first credit that no order used, then credit that later
 * orders used and that was not returned by them. If that is not enough, the refund is rejected and nothing changes. One that was made elsewhere
 * takes back all of it: what is missing is owed with the next order, unless the subscription has ended.
 */
export async function takeBackCredits({ em }: Transaction, { orderId, subscriptionId, amount, made }: ReservedRefund): Promise<void> {
  const subscription = await em.findOneOrFail(Subscription, { id: subscriptionId }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  const order = await em.findOneOrFail(Order, { id: orderId }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (order.creditedAmount === 0n) return
  const pending = await findAllPendingProrations(subscription, em)
  const balance = pending.reduce((sum, each) => sum + each.amount, 0n)
  const later = await em.find(
    Order,
    { subscriptionId, creditUsedAmount: { $gt: 0n }, createdAt: { $gt: order.createdAt } },
    { orderBy: { createdAt: 'desc', id: 'desc' }, lockMode: LockMode.PESSIMISTIC_WRITE },
  )
  const taken = takeBackCredit(order, amount, { outstanding: balance < 0n ? -balance : 0n, later, taxAmount: made?.taxAmount })
  const missing = made ? taken.missing : 0n
  order.creditedAmount -= taken.total + missing
  for (const [index, each] of later.entries()) each.creditUsedAmount -= taken.fromLater[index] ?? 0n
  const owed = taken.fromOutstanding + (subscription.endedAt ? 0n : missing)
  if (owed === 0n) return
  em.create(Proration, {
    organizationId: order.organizationId,
    subscriptionId,
    ...unbilled,
    label: 'Refunded credit',
    amount: owed,
    productPriceId: null,
    creditedOrderId: orderId,
  })
}

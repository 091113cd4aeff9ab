import { LockMode } from '@mikro-orm/core'
import type { Transaction } from '@quittance/runtime/handler'
import { Order } from '../orders/order.ts'
import { payOrder, placeOrder } from '../orders/place-order.ts'
import { settleFinally } from '../pricing/product-change.ts'
import { releaseCredit } from '../pricing/returnable.ts'
import { chargeOrder } from './charge-order.ts'
import { findAllPendingProrations, type Proration } from './prorations.ts'
import type { Subscription } from './subscription.ts'
import { billProrations } from './subscription-orders.ts'

/**
 * Settles the pending prorations of a subscription that ends, or of the terms it leaves: what is owed becomes a final order, and credit that
 * was not used up can be refunded again on the orders it came from.
 */
export async function settlePendingProrations(subscription: Subscription, context: Transaction): Promise<void> {
  const { em, now } = context
  const pending = await findAllPendingProrations(subscription, em)
  if (pending.length === 0) return
  const settlement = settleFinally(pending)
  if (settlement.kind === 'bill') return placeFinalOrder(subscription, { pending, context })
  await releaseUnusedCredit(subscription.id, { credit: settlement.credit, em })
  for (const proration of pending) proration.releasedAt = now
}

/** Without a method to charge the order stays pending; the seller sees what is owed. */
async function placeFinalOrder(
  subscription: Subscription,
  { pending, context }: { pending: readonly Proration[]; context: Transaction },
): Promise<void> {
  const bill = await billProrations(pending, { subscription, context })
  const order = await placeOrder(context, bill.draft)
  bill.settle(order.id)
  if (order.totalAmount === 0n) await payOrder(context, order)
  else await chargeOrder(context, { order, subscription })
}

async function releaseUnusedCredit(subscriptionId: string, { credit, em }: { credit: bigint; em: Transaction['em'] }): Promise<void> {
  const credited = await em.find(
    Order,
    { subscriptionId, creditedAmount: { $gt: 0n } },
    { orderBy: { createdAt: 'desc', id: 'desc' }, lockMode: LockMode.PESSIMISTIC_WRITE },
  )
  for (const [index, released] of releaseCredit(credited, credit).entries()) {
    const order = credited[index]
    if (order) order.creditedAmount -= released
  }
}

import { LockMode } from '@mikro-orm/core'
import type { Transaction } from '@quittance/runtime/handler'
import { Order } from '../orders/order.ts'
import { giveUpOrder } from '../payments/void-order.ts'
import { computeCreditUsed, undoCredit } from '../pricing/product-change.ts'
import { Proration, unbilled } from './prorations.ts'
import type { Subscription } from './subscription.ts'
import { findUnpaidChange, UnpaidChange } from './unpaid-change.ts'

/** Gives up the order of a change that is not paid when its subscription ends: the time that it bills is not used any more. */
export async function revertUnpaidOrder(subscription: Subscription, context: Transaction): Promise<void> {
  const orderId = await findUnpaidChange(subscription, context)
  if (!orderId) return
  const order = await context.em.findOneOrFail(Order, { id: orderId }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  await revertOrder(order, { change: await context.em.findOneOrFail(UnpaidChange, { orderId }), context })
  await giveUpOrder(order, context)
}

/**
 * Reverts what the order of a change billed: the prorations of the change are removed, earlier ones are pending again, and the credit of the
 * change is taken back, less what a refund has taken of it since. The caller has locked subscription and order.
 */
export async function revertOrder(order: Order, { change, context }: { change: UnpaidChange; context: Transaction }): Promise<void> {
  const { em } = context
  const { subscriptionId, prorationIds } = change
  // Those of the change are not billed if there were more than an order lists.
  const involved = { subscriptionId, $or: [{ orderId: order.id }, { id: { $in: prorationIds } }] }
  const billed = await em.find(Proration, involved, { orderBy: { createdAt: 'asc', id: 'asc' } })
  const isOwn = ({ id }: Proration) => prorationIds.includes(id)
  const [own, earlier] = [billed.filter((each) => isOwn(each)), billed.filter((each) => !isOwn(each))]
  const creditedId = own.find(({ creditedOrderId }) => creditedOrderId)?.creditedOrderId
  const credited = creditedId ? await em.findOneOrFail(Order, { id: creditedId }, { lockMode: LockMode.PESSIMISTIC_WRITE }) : null
  const { takenBack, refunded } = undoCredit({
    own: computeCreditUsed(own),
    credited: credited?.creditedAmount ?? 0n,
    earlier: computeCreditUsed(earlier),
    used: order.creditUsedAmount,
  })
  if (credited) credited.creditedAmount -= takenBack
  order.creditUsedAmount = 0n
  for (const proration of earlier) proration.orderId = null
  for (const proration of own) em.remove(proration)
  em.remove(change)
  if (refunded !== 0n) {
    const creditedOrderId = earlier.find((each) => each.creditedOrderId)?.creditedOrderId ?? creditedId ?? null
    const { organizationId } = change
    const values = { organizationId, subscriptionId, creditedOrderId, amount: refunded }
    em.create(Proration, { ...values, ...unbilled, label: 'Refunded credit', productPriceId: null })
  }
  await em.flush()
}

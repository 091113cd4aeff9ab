import { orderUpdated } from '@quittance/contracts/orders'
import { orderVoided, voidOrder as contract } from '@quittance/contracts/unpaid-invoices'
import { command, type Transaction } from '@quittance/runtime/handler'
import { reactionPoint } from '@quittance/runtime/reactions'
import { settleDuePaymentsJobName } from '../job-names.ts'
import { lockOrder } from '../orders/lock-order.ts'
import { Order } from '../orders/order.ts'
import { orderView } from '../orders/order-view.ts'
import { closePayments } from './settle-payment.ts'

export const afterOrderVoided = reactionPoint<{ order: Order }>('orders.order.voided')

/** Voids an unpaid order. What arrives afterwards is a surplus, which the seller returns. */
export const voidOrder = command(contract, async ({ id }, context) => {
  const { em, now, read, react } = context
  const found = await em.findOneOrFail(Order, { id }, { disableIdentityMap: true })
  const order = await lockOrder(found, context)
  if (!order.void(now)) return read.one(orderView, { where: 'o.id = :id', values: { id } })
  await closePayments(context, { orderId: id })
  await react(afterOrderVoided, { order })
  return publishVoided(order, context)
})

/** Voids an unpaid order because what it bills is undone. The caller has locked it. */
export async function giveUpOrder(order: Order, context: Transaction): Promise<void> {
  order.giveUp(context.now)
  await closePayments(context, { orderId: order.id })
  await publishVoided(order, context)
}

/** Returns the order as published. An invoice that is requested gets a credit note, once it is generated. */
async function publishVoided({ id, organizationId, invoiceRequestedAt }: Order, context: Transaction) {
  const { now, read, publish, wake } = context
  wake(settleDuePaymentsJobName)
  const voided = await read.one(orderView, { where: 'o.id = :id', values: { id } })
  publish({ event: orderUpdated, aggregateId: id, organizationId, payload: voided })
  const payload = { organization_id: organizationId, order_id: id, voided_at: now.toISOString() }
  if (invoiceRequestedAt) publish({ event: orderVoided, aggregateId: id, organizationId, payload })
  return voided
}

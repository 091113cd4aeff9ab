import { orderUpdated } from '@quittance/contracts/orders'
import { orderVoided, voidOrder as contract } from '@quittance/contracts/unpaid-invoices'
import { command } from '@quittance/runtime/handler'
import { reactionPoint } from '@quittance/runtime/reactions'
import { settleDuePaymentsJobName } from '../job-names.ts'
import { lockOrder } from '../orders/lock-order.ts'
import { Order } from '../orders/order.ts'
import { orderView } from '../orders/order-view.ts'
import { closePayments } from './settle-payment.ts'

export const afterOrderVoided = reactionPoint<{ order: Order }>('orders.order.voided')

/** Voids an order that was invoiced before its payment. What arrives afterwards is a surplus, which the seller returns. */
export const voidOrder = command(contract, async ({ id }, context) => {
  const { em, now, read, publish, react, wake } = context
  const found = await em.findOneOrFail(Order, { id }, { disableIdentityMap: true })
  const order = await lockOrder(found, context)
  const readOrder = () => read.one(orderView, { where: 'o.id = :id', values: { id } })
  if (!order.void(now)) return readOrder()
  await closePayments(context, { orderId: id })
  await react(afterOrderVoided, { order })
  wake(settleDuePaymentsJobName)
  const voided = await readOrder()
  const { organizationId } = order
  publish({ event: orderUpdated, aggregateId: id, organizationId, payload: voided })
  const payload = { organization_id: organizationId, order_id: id, voided_at: now.toISOString() }
  publish({ event: orderVoided, aggregateId: id, organizationId, payload })
  return voided
})

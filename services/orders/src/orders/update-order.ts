import { orderUpdated, updateOrder as contract } from '@quittance/contracts/orders'
import { command } from '@quittance/runtime/handler'
import { Order } from './order.ts'
import { orderView } from './order-view.ts'

export const updateOrder = command(contract, async ({ id, ...details }, { em, read, publish }) => {
  const order = await em.findOneOrFail(Order, id)
  order.changeBillingDetails(details)
  const view = await read.one(orderView, { where: 'o.id = :id', values: { id } })
  publish({ event: orderUpdated, aggregateId: id, organizationId: order.organizationId, payload: view })
  return view
})

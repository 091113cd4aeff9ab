import { invoiceGenerated } from '@quittance/contracts/invoices'
import { orderUpdated } from '@quittance/contracts/orders'
import { subscriptions } from '@quittance/contracts/streams'
import { consumer } from '@quittance/runtime/handler'
import { Order } from './order.ts'
import { orderView } from './order-view.ts'

export const onInvoiceGenerated = consumer(
  subscriptions.ordersInvoiceGenerated,
  [invoiceGenerated],
  async ({ payload: { order_id, generated_at } }, { em, read, publish }) => {
    const order = await em.findOneOrFail(Order, order_id)
    if (!order.markInvoiceGenerated(new Date(generated_at))) return
    const view = await read.one(orderView, { where: 'o.id = :id', values: { id: order_id } })
    publish({ event: orderUpdated, aggregateId: order_id, organizationId: order.organizationId, payload: view })
  },
)

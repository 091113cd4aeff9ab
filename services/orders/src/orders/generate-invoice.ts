import { generateOrderInvoice as contract, orderInvoiceRequested } from '@quittance/contracts/orders'
import { command } from '@quittance/runtime/handler'
import { invoiceSourceView } from './invoice-source-view.ts'
import { Order } from './order.ts'

export const generateInvoice = command(contract, async ({ id }, { em, now, read, publish }) => {
  const order = await em.findOneOrFail(Order, id)
  if (order.requestInvoice(now)) {
    const payload = await read.one(invoiceSourceView, { where: 'o.id = :id', values: { id } })
    publish({ event: orderInvoiceRequested, aggregateId: id, organizationId: order.organizationId, payload })
  }
  return null
})

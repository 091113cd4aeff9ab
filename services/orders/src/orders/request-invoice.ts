import { orderInvoiceRequested } from '@quittance/contracts/orders'
import type { Transaction } from '@quittance/runtime/handler'
import { invoiceSourceView } from './invoice-source-view.ts'
import { Order } from './order.ts'

/** Freezes the billing details and tells of it once, whether the seller or the buyer asked for the invoice. */
export async function requestInvoice({ id }: { id: string }, { em, now, read, publish }: Transaction): Promise<null> {
  const order = await em.findOneOrFail(Order, id)
  if (order.requestInvoice(now)) {
    const payload = await read.one(invoiceSourceView, { where: 'o.id = :id', values: { id } })
    publish({ event: orderInvoiceRequested, aggregateId: id, organizationId: order.organizationId, payload })
  }
  return null
}

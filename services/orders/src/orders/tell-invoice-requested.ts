import { orderInvoiceRequested } from '@quittance/contracts/orders'
import type { Transaction } from '@quittance/runtime/handler'
import { invoiceSourceView } from './invoice-source-view.ts'
import type { Order } from './order.ts'

/** Tells what the invoice is made from. Saying it again is harmless: an order has one invoice, and each refund one credit note. */
export async function tellInvoiceRequested({ id, organizationId }: Order, { read, publish }: Transaction): Promise<void> {
  const payload = await read.one(invoiceSourceView, { where: 'o.id = :id', values: { id } })
  publish({ event: orderInvoiceRequested, aggregateId: id, organizationId, payload })
}

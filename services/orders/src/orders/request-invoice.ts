import type { Transaction } from '@quittance/runtime/handler'
import { Order } from './order.ts'
import { tellInvoiceRequested } from './tell-invoice-requested.ts'

/** Freezes the billing details and tells of it, whether the seller or the buyer asked for the invoice. */
export async function requestInvoice({ id }: { id: string }, context: Transaction): Promise<null> {
  const order = await context.em.findOneOrFail(Order, id)
  order.requestInvoice(context.now)
  await tellInvoiceRequested(order, context)
  return null
}

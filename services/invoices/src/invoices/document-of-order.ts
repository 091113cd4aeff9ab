import { ResourceNotFound } from '@quittance/contracts/errors'
import type { QueryContext } from '@quittance/runtime/handler'
import { documentLinkTo } from '../documents/document-link-to.ts'
import { invoiceOfOrderView, type InvoiceOfOrder } from './invoice-view.ts'

const absent = {
  requested: 'The invoice of this order is being generated. Try again in a few seconds.',
  failed: 'The invoice of this order could not be generated yet.',
  none: 'The invoice of this order has not been generated. Request it with POST on the same address.',
}

/** The invoice that stands: until a replacement is generated, the one it replaces. */
const standing = `i.id = (select x.id from invoices x where x.order_id = :id and x.kind = 'invoice'
  order by (x.status = 'generated') desc, x.requested_at desc, x.id desc limit 1)`

/** A new link each time, for seller and buyer alike. An order that is not the caller's looks like one without an invoice. */
export async function documentOfOrder({ id }: { id: string }, { read, now }: QueryContext): Promise<{ url: string }> {
  const found = await read.oneOrNull(invoiceOfOrderView, { where: standing, values: { id } })
  const invoice = found === null ? null : (JSON.parse(found) as InvoiceOfOrder)
  if (invoice?.status !== 'generated') {
    throw new ResourceNotFound(absent[invoice?.status ?? 'none'], { retryAfterSeconds: invoice?.ready_in ?? undefined })
  }
  return { url: documentLinkTo(invoice.id, now) }
}

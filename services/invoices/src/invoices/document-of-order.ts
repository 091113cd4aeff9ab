import { ResourceNotFound } from '@quittance/contracts/errors'
import type { QueryContext } from '@quittance/runtime/handler'
import { config } from '../config.ts'
import { documentUrl } from '../documents/document-link.ts'
import { invoiceView } from './invoice-view.ts'

const absent = {
  requested: 'The invoice of this order is being generated. Try again in a few seconds.',
  failed: 'The invoice of this order could not be generated yet.',
  none: 'The invoice of this order has not been generated. Request it with POST on the same address.',
}

/** A new link each time, for seller and buyer alike. An order that is not the caller's looks like one without an invoice. */
export async function documentOfOrder({ id }: { id: string }, { read, now }: QueryContext): Promise<{ url: string }> {
  const found = await read.oneOrNull(invoiceView, { where: 'i.order_id = :id', values: { id } })
  const invoice = found === null ? null : (JSON.parse(found) as { id: string; status: 'requested' | 'generated' | 'failed' })
  if (invoice?.status !== 'generated') throw new ResourceNotFound(absent[invoice?.status ?? 'none'])
  return { url: documentUrl(invoice.id, { now, baseUrl: config().BASE_URL, secret: config().LINK_SECRET }) }
}

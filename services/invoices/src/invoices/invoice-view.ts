import type { CreditNote, Invoice } from '@quittance/contracts/invoices'
import type { View } from '@quittance/runtime/view'
import type { FrozenDocument } from './frozen-document.ts'

/** What both kinds say. Those from before contents were kept say what their order did. */
const columns = `i.id, i.created_at, i.modified_at, i.organization_id, i.order_id, i.customer_id, i.number as invoice_number,
  case when i.status = 'requested' and i.leased_until > now() then 'rendering' else i.status end as status,
  case when i.status = 'failed' then i.last_error end as failure_reason,
  i.requested_at as issued_at, i.generated_at, coalesce(i.printed #>> '{buyer,name}', i.source ->> 'billing_name') as billing_name,
  i.source ->> 'currency' as currency,
  coalesce(i.printed -> 'subtotal', i.source -> 'subtotal_amount') as subtotal_amount,
  coalesce(i.printed -> 'discount', i.source -> 'discount_amount') as discount_amount,
  coalesce(i.printed -> 'net', i.source -> 'net_amount') as net_amount,
  coalesce(i.printed -> 'tax', i.source -> 'tax_amount') as tax_amount,
  coalesce(i.printed -> 'total', i.source -> 'total_amount') as total_amount,
  i.format, i.not_electronic,
  (select d.sha256 from invoice_documents d where d.invoice_id = i.id) as sha256,
  (select d.size from invoice_documents d where d.invoice_id = i.id) as size`

const bound = { organization: 'i.organization_id', customer: 'i.customer_id', key: 'i.id' }

export const invoiceView: View<Invoice> = {
  name: 'invoice',
  ...bound,
  from: `(select * from invoices where kind = 'invoice') i`,
  columns: `${columns}, i.replaces_id, (select r.id from invoices r where r.replaces_id = i.id) as replaced_by_id,
    coalesce((select json_agg(n.id order by n.requested_at, n.id) from invoices n where n.corrects_id = i.id), '[]') as credit_note_ids`,
}

export const creditNoteView: View<CreditNote> = {
  name: 'credit-note',
  ...bound,
  from: `(select * from invoices where kind = 'credit_note') i`,
  columns: `${columns}, i.corrects_id, (select c.number from invoices c where c.id = i.corrects_id) as corrects_number, i.refund_id`,
}

export interface InvoiceOfOrder {
  id: string
  status: 'requested' | 'generated' | 'failed'
  /** Seconds after which its document may be there; null where nobody makes it. */
  ready_in: number | null
}

/** Where the invoices of an order stand. */
export const invoiceOfOrderView: View<InvoiceOfOrder> = {
  name: 'invoice-of-order',
  organization: 'i.organization_id',
  customer: 'i.customer_id',
  from: `invoices i`,
  columns: `i.id, i.status,
    case when i.status = 'requested' then greatest(1, ceil(extract(epoch from i.next_attempt_at - now())))::int end as ready_in`,
}

/** All that an invoice or credit note says, for what is made of it anew. */
export const frozenView: View<{ printed: FrozenDocument | null }> = {
  name: 'frozen-document',
  ...bound,
  from: 'invoices i',
  columns: 'i.printed',
}

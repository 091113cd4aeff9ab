import type { CustomerCreditNote } from '@quittance/contracts/customer-credit-notes'
import type { CreditNote, Invoice } from '@quittance/contracts/invoices'
import type { View } from '@quittance/sql/view'
import type { DocumentSnapshot } from './document-snapshot.ts'

/** Columns of both kinds. Documents issued before contents were stored use the values of the order. */
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

/** A session bound to a checkout does not see documents whose snapshot has no checkout id yet. */
const checkout = `i.source ->> 'checkout_id' = (:checkout)::text`

const bound = { organization: 'i.organization_id', customer: 'i.customer_id', checkout, key: 'i.id' }

export const invoiceView: View<Invoice> = {
  name: 'invoice',
  ...bound,
  from: `(select * from invoices where kind = 'invoice') i`,
  columns: `${columns}, i.replaces_id, i.reverses_id, (select r.id from invoices r where r.replaces_id = i.id) as replaced_by_id,
    coalesce((select json_agg(n.id order by n.requested_at, n.id) from invoices n where n.corrects_id = i.id), '[]') as credit_note_ids`,
}

export const creditNoteView: View<CreditNote> = {
  name: 'credit-note',
  ...bound,
  from: `(select * from invoices where kind = 'credit_note') i`,
  columns: `${columns}, i.corrects_id, (select c.number from invoices c where c.id = i.corrects_id) as corrects_number, i.refund_id,
    (select r.id from invoices r where r.reverses_id = i.id) as reversed_by_id`,
}

/** Without links: whether there are documents. */
export type CustomerCreditNoteRow = Omit<CustomerCreditNote, 'url' | 'reversal_url'> & {
  sha256: string | null
  reversal_document_id: string | null
}

/** A credit note for its buyer, with its hash instead of a link. */
export const customerCreditNoteView: View<CustomerCreditNoteRow> = {
  name: 'customer-credit-note',
  ...bound,
  from: `(select * from invoices where kind = 'credit_note') i
    left join lateral (
      select r.id, r.number, d.invoice_id as document_id from invoices r left join invoice_documents d on d.invoice_id = r.id
      where r.reverses_id = i.id) reversal on true`,
  columns: `i.id, i.order_id, i.number as invoice_number, (select c.number from invoices c where c.id = i.corrects_id) as corrects_number,
    i.requested_at as issued_at, i.source ->> 'currency' as currency, i.printed -> 'net' as net_amount, i.printed -> 'tax' as tax_amount,
    i.printed -> 'total' as total_amount, reversal.id is not null as is_reversed, reversal.number as reversal_number,
    reversal.document_id as reversal_document_id,
    (select d.sha256 from invoice_documents d where d.invoice_id = i.id) as sha256`,
}

export interface InvoiceOfOrder {
  id: string
  status: 'requested' | 'generated' | 'failed'
  /** Seconds until the document may be available; null if it is not being rendered. */
  ready_in: number | null
}

/** State of the invoices of an order. */
export const invoiceOfOrderView: View<InvoiceOfOrder> = {
  name: 'invoice-of-order',
  organization: 'i.organization_id',
  customer: 'i.customer_id',
  checkout,
  from: `invoices i`,
  columns: `i.id, i.status,
    case when i.status = 'requested' then greatest(1, ceil(extract(epoch from i.next_attempt_at - now())))::int end as ready_in`,
}

/** Complete content of an invoice or credit note, to derive other formats from. */
export const snapshotView: View<{ printed: DocumentSnapshot | null }> = {
  name: 'frozen-document',
  ...bound,
  from: 'invoices i',
  columns: 'i.printed',
}

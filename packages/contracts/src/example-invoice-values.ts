import { amounts, at, created, ids, refunded } from './example-values.ts'

/** Values of the examples of invoices and credit notes. */
export const issued = {
  ...created,
  organization_id: ids.organization,
  order_id: ids.order,
  customer_id: ids.customer,
  status: 'generated',
  failure_reason: null,
  issued_at: at,
  generated_at: '2026-06-01T12:00:01Z',
  billing_name: 'Ada Lovelace',
  currency: 'usd',
  format: 'factur-x',
  not_electronic: [],
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  size: 48_213,
}

export const invoice = {
  ...issued,
  ...amounts,
  id: ids.invoice,
  invoice_number: 'AE-2026-0001',
  replaces_id: null,
  replaced_by_id: null,
  reverses_id: null,
  credit_note_ids: [ids.creditNote],
  url: 'https://api.example.com/v1/invoices/documents/example',
}

export const creditNote = {
  ...issued,
  id: ids.creditNote,
  invoice_number: 'AE-CN-2026-0001',
  subtotal_amount: refunded.amount,
  discount_amount: 0,
  net_amount: refunded.amount,
  tax_amount: refunded.tax_amount,
  total_amount: refunded.amount + refunded.tax_amount,
  corrects_id: ids.invoice,
  corrects_number: 'AE-2026-0001',
  refund_id: ids.refund,
  reversed_by_id: null,
  url: 'https://api.example.com/v1/invoices/documents/example-credit-note',
}

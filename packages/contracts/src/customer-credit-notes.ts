import { z } from 'zod'
import { Id, Timestamp } from './identifiers.ts'
import { Amount, Currency } from './money.ts'
import { operation } from './operation.ts'
import { ListReply, pageRequest } from './pagination.ts'

/** A credit note for its buyer. Amounts are positive and state what is credited. */
export const CustomerCreditNote = z
  .object({
    id: Id,
    order_id: Id,
    invoice_number: z.string(),
    corrects_number: z.string().describe('Number of the corrected invoice.'),
    issued_at: Timestamp,
    currency: Currency,
    net_amount: Amount,
    tax_amount: Amount,
    total_amount: Amount,
    is_reversed: z.boolean().describe('Whether an invoice reverses it because its refund was returned; it then credits nothing.'),
    reversal_number: z.string().nullable().describe('Number of the invoice that reverses it; null unless one does.'),
    reversal_url: z
      .string()
      .nullable()
      .describe('Download link of that invoice. Expires after 600 seconds; null until the document is generated.'),
    url: z.string().nullable().describe('Download link. Expires after 600 seconds; null until the document is generated.'),
  })
  .meta({ id: 'CustomerCreditNote' })
export type CustomerCreditNote = z.infer<typeof CustomerCreditNote>

export const listCustomerCreditNotes = operation({
  subject: 'invoices.customer-credit-note.list',
  summary: 'List the credit notes of one of your orders with download links, oldest first',
  http: { method: 'GET', path: '/v1/customer-portal/orders/{id}/credit-notes', status: 200, scopes: [], callers: ['customer'] },
  request: z.object({ id: Id, ...pageRequest }),
  reply: ListReply(CustomerCreditNote),
  errors: [],
})

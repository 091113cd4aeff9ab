import { z } from 'zod'
import { event } from './event.ts'
import { Id, Timestamp } from './identifiers.ts'
import { Amount, Currency } from './money.ts'

/** What the recipient of a document gets by mail. */
export const DocumentDelivery = z.object({
  /** Null for documents issued before customers were recorded. */
  customer_id: Id.nullable(),
  recipient: z.string(),
  /** BCP 47. */
  locale: z.string(),
  currency: Currency,
  total_amount: Amount,
  /** Signed link to the document. */
  url: z.string(),
  url_expires_at: Timestamp,
})

export const creditNoteGenerated = event({
  subject: 'event.credit_note.generated',
  publisher: 'invoices',
  webhookType: null,
  summary: 'The document of a credit note is stored and no longer changes.',
  payload: z.object({
    credit_note_id: Id,
    order_id: Id,
    number: z.string(),
    generated_at: Timestamp,
    delivery: DocumentDelivery,
  }),
})

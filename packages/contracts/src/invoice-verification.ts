import { z } from 'zod'
import { RequestValidationError } from './errors.ts'
import { Id, Timestamp } from './identifiers.ts'
import { Amount, Currency } from './money.ts'
import { operation } from './operation.ts'

/** Whether a document was issued by this system; returned to its holder. */
export const InvoiceVerification = z
  .object({
    valid: z.boolean(),
    kind: z.enum(['invoice', 'credit_note']).nullable(),
    invoice_number: z.string().nullable(),
    issued_at: Timestamp.nullable(),
    seller_name: z.string().nullable(),
    currency: Currency.nullable(),
    total_amount: Amount.nullable(),
    sha256: z.string().nullable(),
  })
  .meta({ id: 'InvoiceVerification' })
export type InvoiceVerification = z.infer<typeof InvoiceVerification>

/** Path of the verification URL printed on every document. */
export const verifyPath = '/v1/invoices/verify'

export const verifyInvoice = operation({
  subject: 'invoices.invoice.verify',
  summary: 'Verify a document by its number and its SHA-256, or by the id in its QR code',
  http: { method: 'GET', path: verifyPath, status: 200, scopes: [], callers: ['anonymous'] },
  request: z.object({
    number: z.string().min(1).max(40),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'Must be 64 hexadecimal digits.')
      .optional(),
    id: Id.optional(),
  }),
  reply: InvoiceVerification,
  errors: [RequestValidationError],
})

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

/** Route of the address printed on every document: its number, and its id as 22 characters of base64url. */
export const verificationRoute = '/verify/:number(^[A-Za-z0-9~-]{1,40}$)/:code(^[A-Za-z0-9_-]{22}$)'

/**
 * Returns the path of the address printed on a document. It is short, so that its QR code is small and its text fits one line. A slash in the
 * number is a tilde, which no number contains.
 */
export function verificationPath({ number, id }: { number: string; id: string }): string {
  return `/verify/${number.replaceAll('/', '~')}/${Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')}`
}

/** Returns the number and the id in a printed address. */
export function readVerificationPath({ number, code }: { number: string; code: string }): { number: string; id: string } {
  const hex = Buffer.from(code, 'base64url').toString('hex')
  return { number: number.replaceAll('~', '/'), id: hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5') }
}

export const verifyInvoice = operation({
  subject: 'invoices.invoice.verify',
  summary: 'Verify a document by its number and its SHA-256, or by the id in its QR code',
  http: { method: 'GET', path: '/v1/invoices/verify', status: 200, scopes: [], callers: ['anonymous'] },
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

import { z } from 'zod'
import { Address, AddressInput } from './address.ts'
import { RequestValidationError, ServiceUnavailable } from './errors.ts'
import { Id, OrganizationIdInput } from './identifiers.ts'
import { LocaleInput } from './locale.ts'
import { operation } from './operation.ts'

/** Seller data and layout of documents. Documents issued before a change are not affected by it. */
export const InvoiceSettings = z
  .object({
    organization_id: Id,
    legal_name: z.string().nullable().describe('Null: the name of the organization.'),
    address: Address.nullable(),
    tax_id: z.string().nullable(),
    logo: z.string().nullable().describe('data: URL of a PNG or JPEG, reduced to print resolution when it was set.'),
    footer: z.string().nullable(),
    locale: z.string().nullable().describe('BCP 47, used if the locale of the buyer is unknown. Null: English.'),
    paper: z.enum(['a4', 'letter']).nullable().describe('Null: `letter` for sellers in the United States and Canada, `a4` elsewhere.'),
    invoice_prefix: z.string().nullable().describe('Null: derived from the slug in upper case, fixed by the first invoice.'),
    credit_note_prefix: z.string().nullable().describe('Null: `CN-` followed by the invoice prefix.'),
    yearly: z.boolean().describe('Whether numbering restarts each year; numbers then contain the year.'),
    padding: z.int().describe('Minimum number of digits of a number.'),
    electronic: z.boolean().describe('Whether documents contain Factur-X if the data suffice.'),
  })
  .meta({ id: 'InvoiceSettings' })
export type InvoiceSettings = z.infer<typeof InvoiceSettings>

const prefix = z
  .string()
  .regex(/^[A-Z0-9]+(?:[-/][A-Z0-9]+)*$/, 'Must be A-Z and 0-9, with single - or / between them.')
  .max(11)
  .nullish()

export const getInvoiceSettings = operation({
  subject: 'invoices.settings.get',
  summary: 'Get the seller data, layout and numbering of documents',
  http: {
    method: 'GET',
    path: '/v1/invoices/settings',
    status: 200,
    scopes: ['organizations:read', 'organizations:write'],
    callers: ['organization', 'user'],
  },
  request: z.object({ organization_id: OrganizationIdInput }),
  reply: InvoiceSettings,
  errors: [RequestValidationError],
})

export const updateInvoiceSettings = operation({
  subject: 'invoices.settings.update',
  summary: 'Change the seller data, layout and numbering of future documents',
  http: {
    method: 'PATCH',
    path: '/v1/invoices/settings',
    status: 200,
    scopes: ['organizations:write'],
    callers: ['organization', 'user'],
  },
  request: z.object({
    organization_id: OrganizationIdInput,
    legal_name: z.string().trim().min(1).max(250).nullish(),
    address: AddressInput.nullish(),
    tax_id: z.string().trim().min(1).max(50).nullish(),
    logo: z
      .string()
      .max(300_000)
      .regex(/^data:image\/(?:png|jpeg);base64,[A-Za-z0-9+/]+=*$/, 'Must be a data: URL of a PNG or JPEG in base64.')
      .nullish()
      .describe('data: URL of a PNG or JPEG with at most 2,048 pixels per side and 4 megapixels. It is encoded again, without metadata.'),
    footer: z.string().trim().min(1).max(1000).nullish(),
    locale: LocaleInput.nullish(),
    paper: z.enum(['a4', 'letter']).nullish(),
    invoice_prefix: prefix.describe(
      'Must not be `CN`, or begin with `CN-` or with `CN`, digits and `-`: credit notes have those numbers. Null: derived from the slug.',
    ),
    credit_note_prefix: prefix,
    yearly: z.boolean().optional(),
    padding: z.int().min(1).max(10).optional(),
    electronic: z.boolean().optional(),
  }),
  reply: InvoiceSettings,
  errors: [RequestValidationError, ServiceUnavailable],
})

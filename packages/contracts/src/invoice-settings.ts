import { z } from 'zod'
import { Address, AddressInput } from './address.ts'
import { RequestValidationError } from './errors.ts'
import { Id, OrganizationIdInput } from './identifiers.ts'
import { LocaleInput } from './locale.ts'
import { operation } from './operation.ts'

/** Who sells, and how their documents look. What was issued before a change keeps what it was issued with. */
export const InvoiceSettings = z
  .object({
    organization_id: Id,
    legal_name: z.string().nullable().describe('Null: the name of the organization.'),
    address: Address.nullable(),
    tax_id: z.string().nullable(),
    logo: z.string().nullable().describe('data: URL of a PNG or JPEG.'),
    footer: z.string().nullable(),
    locale: z.string().nullable().describe('BCP 47, for buyers who have said nothing. Null: English.'),
    paper: z.enum(['a4', 'letter']).nullable().describe('Null: Letter for sellers in the United States and Canada, A4 elsewhere.'),
    invoice_prefix: z.string().nullable().describe('Null: the slug in capitals, from the first invoice on.'),
    credit_note_prefix: z.string().nullable().describe('Null: CN- and the prefix of invoices.'),
    yearly: z.boolean().describe('Whether numbers begin anew each year, which then stands in them.'),
    padding: z.int().describe('Digits a number has at least.'),
    electronic: z.boolean().describe('Whether documents carry Factur-X, where the data suffice.'),
  })
  .meta({ id: 'InvoiceSettings' })
export type InvoiceSettings = z.infer<typeof InvoiceSettings>

const prefix = z
  .string()
  .regex(/^[A-Z0-9]+(?:[-/][A-Z0-9]+)*$/, 'Must be capital letters, digits, and single - or / between them.')
  .max(11)
  .nullish()

export const getInvoiceSettings = operation({
  subject: 'invoices.settings.get',
  summary: 'Get what documents say of the seller, and how they are numbered',
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
  summary: 'Change what documents say of the seller from here on, and how they are numbered',
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
      .nullish(),
    footer: z.string().trim().min(1).max(1000).nullish(),
    locale: LocaleInput.nullish(),
    paper: z.enum(['a4', 'letter']).nullish(),
    invoice_prefix: prefix,
    credit_note_prefix: prefix,
    yearly: z.boolean().optional(),
    padding: z.int().min(1).max(10).optional(),
    electronic: z.boolean().optional(),
  }),
  reply: InvoiceSettings,
  errors: [RequestValidationError],
})

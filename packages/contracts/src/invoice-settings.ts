import { z } from 'zod'
import { Address, AddressInput } from './address.ts'
import { RequestValidationError, ServiceUnavailable } from './errors.ts'
import { event } from './event.ts'
import { EmailAddress, Id, OrganizationIdInput } from './identifiers.ts'
import { LocaleInput } from './locale.ts'
import { withoutControls } from './printed-text.ts'
import { operation } from './operation.ts'

/** `en16931`: the core rules. `xrechnung`: XRechnung 3.0.2, for public buyers in Germany. `peppol`: Peppol BIS Billing 3.0. */
export const ElectronicProfile = z.enum(['en16931', 'xrechnung', 'peppol'])
export type ElectronicProfile = z.infer<typeof ElectronicProfile>

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
    padding: z
      .int()
      .describe('Minimum number of digits of a number; fewer if a derived prefix leaves no room for them in sixteen characters.'),
    electronic: z.boolean().describe('Whether documents contain Factur-X if the data suffice.'),
    electronic_profile: ElectronicProfile.describe('Rules that electronic documents follow beside EN 16931.'),
    electronic_address: z
      .string()
      .nullable()
      .describe('Your address in a network, `scheme:id`. Null: your VAT number, or the e-mail address of the contact.'),
    contact_name: z.string().nullable(),
    contact_email: z.string().nullable(),
    contact_phone: z.string().nullable(),
    time_zone: z.string().nullable().describe('IANA name; dates and yearly numbers follow it. Null: UTC.'),
    tax_exemption: z
      .string()
      .nullable()
      .describe('Why no tax is charged, if no sale is taxed, such as the rule for small businesses. Printed on untaxed documents.'),
    warnings: z
      .array(z.string())
      .describe('Data that invoices of your country require, or that the profile requires, and that are missing.'),
  })
  .meta({ id: 'InvoiceSettings' })
export type InvoiceSettings = z.infer<typeof InvoiceSettings>

const contact = (max: number) => withoutControls(z.string().trim().min(1).max(max))

/** Name of a time zone of the IANA database. */
const TimeZone = z
  .string()
  .max(60)
  .refine((name) => /^[A-Za-z]/.test(name) && isTimeZone(name), 'Must be an IANA time zone such as Europe/Berlin.')

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

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
    legal_name: withoutControls(z.string().trim().min(1).max(250)).nullish(),
    address: AddressInput.nullish(),
    tax_id: withoutControls(z.string().trim().min(1).max(50)).nullish(),
    logo: z
      .string()
      .max(300_000)
      .regex(/^data:image\/(?:png|jpeg);base64,[A-Za-z0-9+/]+=*$/, 'Must be a data: URL of a PNG or JPEG in base64.')
      .nullish()
      .describe('data: URL of a PNG or JPEG with at most 2,048 pixels per side and 4 megapixels. It is encoded again, without metadata.'),
    footer: withoutControls(z.string().trim().min(1).max(1000)).nullish(),
    locale: LocaleInput.nullish(),
    paper: z.enum(['a4', 'letter']).nullish(),
    invoice_prefix: prefix.describe(
      'Must not be `CN`, or begin with `CN-` or with `CN`, digits and `-`: credit notes have those numbers. Null: derived from the slug.',
    ),
    credit_note_prefix: prefix,
    yearly: z.boolean().optional(),
    padding: z.int().min(1).max(10).optional(),
    electronic: z.boolean().optional(),
    electronic_profile: ElectronicProfile.optional(),
    electronic_address: z
      .string()
      .max(60)
      .regex(/^(?:\d{4}|EM):[^\s:]\S*$/, 'Must be a scheme of the list EAS, a colon and the address, such as 9930:DE136695976.')
      .nullish(),
    contact_name: contact(100).nullish(),
    contact_email: EmailAddress.nullish(),
    contact_phone: contact(40)
      .refine((phone) => (phone.match(/\d/g)?.length ?? 0) >= 3, 'Must contain at least three digits.')
      .nullish(),
    time_zone: TimeZone.nullish(),
    tax_exemption: contact(200).nullish(),
  }),
  reply: InvoiceSettings,
  errors: [RequestValidationError, ServiceUnavailable],
})

/** What invoices of a seller lack. `orders` rejects requests for invoices until it is complete. */
export const invoiceSettingsUpdated = event({
  subject: 'event.invoice_settings.updated',
  publisher: 'invoices',
  webhookType: null,
  summary: 'The seller data of documents changed.',
  payload: z.object({
    organization_id: Id,
    /** Details that the law of the seller's country demands on every invoice and that are missing. */
    missing: z.array(z.string()),
    /** Details that are missing only on invoices with tax. */
    missing_when_taxed: z.array(z.string()),
  }),
})

import { z } from 'zod'
import { AddressInput } from './address.ts'
import { DocumentDelivery } from './credit-note-events.ts'
import { ApiError, RequestValidationError, ResourceNotFound } from './errors.ts'
import { event } from './event.ts'
import { Id, oneOrMany, Timestamp, timestamps } from './identifiers.ts'
import { Amount, Currency } from './money.ts'
import { operation } from './operation.ts'
import { withoutControls } from './printed-text.ts'
import { DocumentPart, ListReply, pageRequest, sorting } from './pagination.ts'

/** 409: only an invoice that is generated, not replaced and not fully credited can be corrected, and only with complete data of the seller. */
export class InvoiceNotCorrectable extends ApiError {
  readonly status = 409
}

/** 422: the data do not suffice for an electronic invoice; the detail names what is missing. */
export class InvoiceNotElectronic extends ApiError {
  readonly status = 422
}

/** A link to the document. It expires after 600 seconds; request the invoice again for a new one. */
export const OrderInvoice = z.object({ url: z.string() }).meta({ id: 'OrderInvoice' })

export const getOrderInvoice = operation({
  subject: 'invoices.invoice.get-of-order',
  summary: 'Get a download link for the generated invoice of an order',
  http: { method: 'GET', path: '/v1/orders/{id}/invoice', status: 200, scopes: ['orders:read'], callers: ['organization', 'user'] },
  request: z.object({ id: Id }),
  reply: OrderInvoice,
  errors: [ResourceNotFound],
})

/** The same for the buyer. */
export const CustomerOrderInvoice = z.object({ url: z.string() }).meta({ id: 'CustomerOrderInvoice' })

export const getCustomerOrderInvoice = operation({
  subject: 'invoices.customer-order-invoice.get',
  summary: 'Get a download link for the generated invoice of one of your orders',
  http: { method: 'GET', path: '/v1/customer-portal/orders/{id}/invoice', status: 200, scopes: [], callers: ['customer'] },
  request: z.object({ id: Id }),
  reply: CustomerOrderInvoice,
  errors: [ResourceNotFound],
})

/** `failed` is retried after six hours, or when the invoice is requested again. */
export const InvoiceStatus = z.enum(['requested', 'rendering', 'generated', 'failed'])
export type InvoiceStatus = z.infer<typeof InvoiceStatus>

/** Fields of both invoices and credit notes. Issued documents never change. */
const documentFields = {
  id: Id,
  ...timestamps,
  organization_id: Id,
  order_id: Id,
  customer_id: Id.nullable(),
  invoice_number: z.string(),
  status: InvoiceStatus,
  failure_reason: z.string().nullable(),
  issued_at: Timestamp,
  generated_at: Timestamp.nullable(),
  billing_name: z.string(),
  currency: Currency,
  subtotal_amount: Amount,
  discount_amount: Amount,
  net_amount: Amount,
  tax_amount: Amount,
  total_amount: Amount,
  format: z.enum(['pdf', 'factur-x']).nullable().describe('Null until the document is generated.'),
  not_electronic: z.array(z.string()).describe('Data missing for an electronic invoice, if the seller enabled electronic invoices.'),
  sha256: z.string().nullable().describe('SHA-256 of the document in hexadecimal.'),
  size: z.int().nullable().describe('Size of the document in bytes.'),
}

/** A download link added to the record; null until the document is generated. */
const link = { url: z.string().nullable().describe('Expires after 600 seconds; null until the document is generated.') }

export const Invoice = z
  .object({
    ...documentFields,
    replaces_id: Id.nullable().describe('The invoice that this one replaces.'),
    replaced_by_id: Id.nullable(),
    reverses_id: Id.nullable().describe('The credit note that this invoice reverses, because its refund was returned.'),
    credit_note_ids: z.array(Id),
  })
  .meta({ id: 'Invoice' })
export type Invoice = z.infer<typeof Invoice>

/** Reverses an invoice: in part after a refund, in full if the invoice was wrong. Amounts are positive and state what is credited. */
export const CreditNote = z
  .object({
    ...documentFields,
    corrects_id: Id.describe('The corrected invoice.'),
    corrects_number: z.string(),
    refund_id: Id.nullable().describe('Null if the invoice was wrong.'),
    reversed_by_id: Id.nullable().describe('The invoice that reverses this credit note; it then credits nothing.'),
  })
  .meta({ id: 'CreditNote' })
export type CreditNote = z.infer<typeof CreditNote>

const reading = { scopes: ['orders:read'], callers: ['organization', 'user'] } as const

const listRequest = {
  ...pageRequest,
  organization_id: oneOrMany(Id),
  order_id: oneOrMany(Id),
  customer_id: oneOrMany(Id),
  sorting: sorting(['issued_at', 'invoice_number'], '-issued_at'),
}

export const listInvoices = operation({
  subject: 'invoices.invoice.list',
  summary: 'List invoices',
  http: { method: 'GET', path: '/v1/invoices/', status: 200, ...reading },
  request: z.object(listRequest),
  reply: ListReply(Invoice),
  errors: [],
})

export const InvoiceWithLink = Invoice.extend(link).meta({ id: 'InvoiceWithLink' })

export const getInvoice = operation({
  subject: 'invoices.invoice.get',
  summary: 'Get an invoice with a download link',
  http: { method: 'GET', path: '/v1/invoices/{id}', status: 200, ...reading },
  request: z.object({ id: Id }),
  reply: InvoiceWithLink,
  errors: [ResourceNotFound],
})

export const listCreditNotes = operation({
  subject: 'invoices.credit-note.list',
  summary: 'List credit notes',
  http: { method: 'GET', path: '/v1/credit-notes/', status: 200, ...reading },
  request: z.object({ ...listRequest, corrects_id: oneOrMany(Id) }),
  reply: ListReply(CreditNote),
  errors: [],
})

export const CreditNoteWithLink = CreditNote.extend(link).meta({ id: 'CreditNoteWithLink' })

export const getCreditNote = operation({
  subject: 'invoices.credit-note.get',
  summary: 'Get a credit note with a download link',
  http: { method: 'GET', path: '/v1/credit-notes/{id}', status: 200, ...reading },
  request: z.object({ id: Id }),
  reply: CreditNoteWithLink,
  errors: [ResourceNotFound],
})

export const correctInvoice = operation({
  subject: 'invoices.invoice.correct',
  summary: 'Correct a wrong invoice: a credit note reverses it and a replacement refers to it. The first document remains',
  http: {
    method: 'POST',
    path: '/v1/invoices/{id}/corrections',
    status: 201,
    scopes: ['orders:write'],
    callers: ['organization', 'user'],
  },
  request: z.object({
    id: Id,
    billing_name: withoutControls(z.string().trim().min(1).max(250)).optional(),
    billing_address: AddressInput.optional(),
    tax_id: z.string().trim().min(1).max(50).nullish().describe('Null removes the tax id.'),
  }),
  reply: z.object({ credit_note: CreditNote, replacement: Invoice }),
  errors: [ResourceNotFound, InvoiceNotCorrectable, RequestValidationError],
})

export const getInvoiceUbl = operation({
  subject: 'invoices.invoice.get-ubl',
  summary: 'Get an invoice or credit note as UBL according to EN 16931',
  http: {
    method: 'GET',
    path: '/v1/invoices/{id}/ubl',
    status: 200,
    ...reading,
    document: { contentType: 'application/xml; charset=utf-8', fileName: 'invoice.xml' },
  },
  request: z.object({ id: Id, after: z.string().max(20).nullish().describe('Position to continue from; used by the gateway.') }),
  reply: DocumentPart,
  errors: [ResourceNotFound, InvoiceNotElectronic],
})

/** Numbers of one prefix. `missing` is empty: the series is gap-free. */
export const InvoiceSeries = z
  .object({
    organization_id: Id,
    kind: z.enum(['invoice', 'credit_note']),
    prefix: z.string(),
    first: z.string().nullable(),
    last: z.string().nullable(),
    count: z.int(),
    missing: z.array(z.string()).max(100).describe('At most 100 missing numbers.'),
  })
  .meta({ id: 'InvoiceSeries' })
export type InvoiceSeries = z.infer<typeof InvoiceSeries>

export const listInvoiceSeries = operation({
  subject: 'invoices.series.list',
  summary: 'Audit the invoice number series: first, last, count and missing numbers',
  http: { method: 'GET', path: '/v1/invoices/series', status: 200, ...reading },
  request: z.object({ ...pageRequest, organization_id: oneOrMany(Id) }),
  reply: ListReply(InvoiceSeries),
  errors: [],
})

/** Path of the signed download link; the gateway streams it from the invoices service. */
export const invoiceDocumentPath = '/v1/invoices/documents'

export const invoiceGenerated = event({
  subject: 'event.invoice.generated',
  publisher: 'invoices',
  webhookType: null,
  summary: 'The document of an invoice is stored and no longer changes.',
  payload: z.object({
    invoice_id: Id,
    order_id: Id,
    number: z.string(),
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    generated_at: Timestamp,
    /** Absent in events of release 0.1.0. */
    delivery: DocumentDelivery.nullish(),
  }),
})

export const creditNoteReversed = event({
  subject: 'event.credit_note.reversed',
  publisher: 'invoices',
  webhookType: null,
  summary: 'The refund of a credit note was returned: an invoice over the same amounts reverses the credit note.',
  payload: z.object({
    order_id: Id,
    /** The invoice that the credit note corrected. */
    invoice_id: Id,
    refund_id: Id,
    credit_note_id: Id,
    credit_note_number: z.string(),
    /** The reversing invoice. */
    reversal_id: Id,
    reversal_number: z.string(),
    currency: Currency,
    net_amount: Amount,
    tax_amount: Amount,
    total_amount: Amount,
    reversed_at: Timestamp,
  }),
})

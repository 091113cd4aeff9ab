import { z } from 'zod'
import { ResourceNotFound } from './errors.ts'
import { event } from './event.ts'
import { Id, Timestamp } from './identifiers.ts'
import { operation } from './operation.ts'

/** A link to the document. It stops working after 600 seconds; ask again for a new one. */
export const OrderInvoice = z.object({ url: z.string() }).meta({ id: 'OrderInvoice' })

export const getOrderInvoice = operation({
  subject: 'invoices.invoice.get',
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

/** Path of the signed download link; the gateway streams it from the invoices service. */
export const invoiceDocumentPath = '/v1/invoices/documents'

export const invoiceGenerated = event({
  subject: 'event.invoice.generated',
  publisher: 'invoices',
  webhookType: null,
  summary: 'The document of an invoice is stored; from here on it never changes.',
  payload: z.object({
    invoice_id: Id,
    order_id: Id,
    number: z.string(),
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    generated_at: Timestamp,
  }),
})

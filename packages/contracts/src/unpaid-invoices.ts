import { z } from 'zod'
import { Conflict, ResourceNotFound } from './errors.ts'
import { event } from './event.ts'
import { Id, Timestamp } from './identifiers.ts'
import { InvoiceSource } from './invoice-source.ts'
import { operation } from './operation.ts'
import { Order } from './orders.ts'
import { TransferInstructions } from './transfer-instructions.ts'

/** How the buyer sends the money of an unpaid order. */
export const InvoiceTransfer = TransferInstructions.omit({ amount: true, currency: true })

/** Snapshot from which the invoice of an order is created that waits for a bank transfer. */
export const UnpaidInvoiceSource = InvoiceSource.extend({ paid_at: z.null(), transfer: InvoiceTransfer })
export type UnpaidInvoiceSource = z.infer<typeof UnpaidInvoiceSource>

/** An event beside `event.order.invoice_requested`, because invoices of release 0.1.0 expect paid orders only. */
export const orderInvoiceDue = event({
  subject: 'event.order.invoice_due',
  publisher: 'orders',
  webhookType: null,
  summary:
    'The invoice of an order that waits for a bank transfer is due; its billing details can no longer change. Published again for every new request before the payment.',
  payload: UnpaidInvoiceSource,
})

export const voidOrder = operation({
  subject: 'orders.order.void',
  summary: 'Void an unpaid order: a credit note covers its invoice, and money that arrives later is returned',
  http: { method: 'POST', path: '/v1/orders/{id}/void', status: 200, scopes: ['orders:write'], callers: ['organization', 'user'] },
  request: z.object({ id: Id }),
  reply: Order.describe(
    'It stays `pending`, with `voided_at`. A repeated request returns it unchanged. An order of a checkout needs a generated invoice.',
  ),
  errors: [ResourceNotFound, Conflict],
})

export const orderVoided = event({
  subject: 'event.order.voided',
  publisher: 'orders',
  webhookType: null,
  summary: 'An order was voided that was invoiced before its payment; its invoice gets a credit note.',
  payload: z.object({ organization_id: Id, order_id: Id, voided_at: Timestamp }),
})

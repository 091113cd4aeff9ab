import { z } from 'zod'
import { event } from './event.ts'
import { InvoiceSource } from './invoice-source.ts'

/** How the buyer sends the money of an unpaid order. */
export const InvoiceTransfer = z.object({
  beneficiary: z.string(),
  iban: z.string(),
  bic: z.string().nullable(),
  /** Creditor reference (ISO 11649). */
  reference: z.string(),
  /** Calendar date. */
  due_date: z.iso.date(),
  /** Content of the QR code of banking applications (EPC069-12); null for other currencies than euro. */
  epc: z.string().nullable(),
})

/** Snapshot from which the invoice of an order is created that waits for a bank transfer. */
export const UnpaidInvoiceSource = InvoiceSource.extend({ paid_at: z.null(), transfer: InvoiceTransfer })
export type UnpaidInvoiceSource = z.infer<typeof UnpaidInvoiceSource>

/** An event beside `event.order.invoice_requested`, because invoices of the release before expect paid orders only. */
export const orderInvoiceDue = event({
  subject: 'event.order.invoice_due',
  publisher: 'orders',
  webhookType: null,
  summary:
    'The invoice of an order that waits for a bank transfer is due; its billing details can no longer change. Published again for every new request before the payment.',
  payload: UnpaidInvoiceSource,
})

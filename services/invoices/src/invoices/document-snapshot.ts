import type { InvoiceSource } from '@quittance/contracts/invoice-source'
import type { UnpaidInvoiceSource } from '@quittance/contracts/unpaid-invoices'
import type { DocumentModel } from '../rendering/document-model.ts'
import type { DocumentKind } from '../series/number-format.ts'

/** Order that a document is issued for: paid, or waiting for a bank transfer. */
export type DocumentSource = InvoiceSource | UnpaidInvoiceSource

/** Stored content of a document at the time of issue. Later changes of settings or templates do not affect it. */
export interface DocumentSnapshot extends Omit<
  DocumentModel,
  'issuedAt' | 'orderedAt' | 'paidAt' | 'servicePeriod' | 'refersTo' | 'refund'
> {
  issuedAt: string
  orderedAt: string
  paidAt: string | null
  servicePeriod: { start: string; end: string } | null
  /** `kind` is absent for an invoice, `timeZone` in snapshots of earlier releases. */
  refersTo: { number: string; issuedAt: string; kind?: DocumentKind; timeZone?: string } | null
  refund?: { reason: string | null; refundedAt: string } | null
  /** The seller wants an electronic invoice if the data suffice. */
  electronic: boolean
}

/**
 * Lets a document refer to an earlier one. Dates and the category of tax agree with what was issued then, whatever the seller has changed in
 * the settings since.
 */
export function referTo(document: DocumentSnapshot, earlier: DocumentSnapshot): DocumentSnapshot {
  const { kind, number, issuedAt, timeZone = 'UTC', saleTimeZone = timeZone, seller } = earlier
  return {
    ...document,
    saleTimeZone,
    refersTo: { number, issuedAt, timeZone, ...(kind === 'credit_note' && { kind }) },
    seller: { ...document.seller, taxExemption: seller.taxExemption ?? null },
  }
}

/** Converts the timestamps of a snapshot to `Date`. */
export function parseSnapshot(snapshot: DocumentSnapshot): DocumentModel {
  const { refund, ...withoutRefund } = snapshot
  const { servicePeriod, refersTo } = snapshot
  return {
    ...withoutRefund,
    issuedAt: new Date(snapshot.issuedAt),
    orderedAt: new Date(snapshot.orderedAt),
    paidAt: snapshot.paidAt === null ? null : new Date(snapshot.paidAt),
    servicePeriod: servicePeriod && { start: new Date(servicePeriod.start), end: new Date(servicePeriod.end) },
    ...(refund === undefined ? {} : { refund: refund && { ...refund, refundedAt: new Date(refund.refundedAt) } }),
    refersTo: refersTo && { ...refersTo, issuedAt: new Date(refersTo.issuedAt) },
  }
}

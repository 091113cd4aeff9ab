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
  /** `kind` is absent for an invoice. */
  refersTo: { number: string; issuedAt: string; kind?: DocumentKind } | null
  refund?: { reason: string | null; refundedAt: string } | null
  /** The seller wants an electronic invoice if the data suffice. */
  electronic: boolean
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

import type { PrintedDocument } from '../rendering/printed-document.ts'

/** A document as it is kept: what it says on the day it is issued, so that no later setting or template changes a word of it. */
export interface FrozenDocument extends Omit<PrintedDocument, 'issuedAt' | 'orderedAt' | 'paidAt' | 'servicePeriod' | 'refersTo'> {
  issuedAt: string
  orderedAt: string
  paidAt: string | null
  servicePeriod: { start: string; end: string } | null
  refersTo: { number: string; issuedAt: string } | null
  /** The seller wants it to be an electronic invoice, where the data suffice. */
  electronic: boolean
}

/** The same with its moments as such. */
export function thawed(frozen: FrozenDocument): PrintedDocument {
  const { servicePeriod, refersTo } = frozen
  return {
    ...frozen,
    issuedAt: new Date(frozen.issuedAt),
    orderedAt: new Date(frozen.orderedAt),
    paidAt: frozen.paidAt === null ? null : new Date(frozen.paidAt),
    servicePeriod: servicePeriod && { start: new Date(servicePeriod.start), end: new Date(servicePeriod.end) },
    refersTo: refersTo && { number: refersTo.number, issuedAt: new Date(refersTo.issuedAt) },
  }
}

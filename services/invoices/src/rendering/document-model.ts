import type { Address } from '@quittance/contracts/address'
import type { AppliedTax, TaxBehavior } from '@quittance/contracts/taxes'

/**
 * Complete content of a document, independent of its format (PDF or XML). Amounts are in minor units of `currency` and taken from the
 * order: a document computes nothing. Amounts of a credit note are the credited amounts, positive.
 */
export interface DocumentModel {
  kind: 'invoice' | 'credit_note'
  number: string
  issuedAt: Date
  /** BCP 47 tag of the buyer, or the one the seller prefers. Strings, dates and amounts follow it as far as it is supported. */
  locale: string
  paper: 'a4' | 'letter'
  currency: string
  seller: SellerBlock
  buyer: BuyerBlock
  orderedAt: Date
  /** Billing period that a subscription paid for. */
  servicePeriod: { start: Date; end: Date } | null
  lines: readonly DocumentLine[]
  subtotal: number
  discount: number
  net: number
  tax: number
  total: number
  taxBehavior: TaxBehavior
  /** One entry per rate; empty if the sale is untaxed. */
  taxes: readonly AppliedTax[]
  /** Time of payment; null on a credit note. */
  paidAt: Date | null
  /** Invoice that a credit note corrects or that a replacement replaces, or credit note that an invoice reverses. No `kind`: an invoice. */
  refersTo: { number: string; issuedAt: Date; kind?: DocumentModel['kind'] } | null
  /** Public URL for verifying the document; printed as a QR code and as text. */
  verifyUrl: string
}

export interface SellerBlock {
  name: string
  address: Address | null
  taxId: string | null
  /** `data:` URL of a PNG or JPEG. */
  logo: string | null
  /** Small print at the end: bank, register, terms. May have several lines. */
  footer: string | null
}

export interface BuyerBlock {
  name: string
  address: Address
  taxId: string | null
  email: string
}

export interface DocumentLine {
  label: string
  /** Before discount and tax; negative for a credit from an earlier change. */
  amount: number
  discount: number
  tax: number
  /** Part of a period after a change of product. */
  proration: boolean
}

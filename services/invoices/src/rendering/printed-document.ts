import type { Address } from '@quittance/contracts/address'
import type { AppliedTax, TaxBehavior } from '@quittance/contracts/taxes'

/**
 * All that a document says, whatever its form: a PDF, or XML. Amounts are minor units of `currency` and the order's own: a document
 * computes nothing. Those of a credit note are what is given back, as positive amounts.
 */
export interface PrintedDocument {
  kind: 'invoice' | 'credit_note'
  number: string
  issuedAt: Date
  /** BCP 47 of the buyer, or what the seller prefers. Words, dates and amounts follow it as far as it is known. */
  locale: string
  paper: 'a4' | 'letter'
  currency: string
  seller: SellerBlock
  buyer: BuyerBlock
  orderedAt: Date
  /** What a subscription paid for, from begin to end. */
  servicePeriod: { start: Date; end: Date } | null
  lines: readonly PrintedLine[]
  subtotal: number
  discount: number
  net: number
  tax: number
  total: number
  taxBehavior: TaxBehavior
  /** One for each rate; none where no tax falls on the sale. */
  taxes: readonly AppliedTax[]
  /** When it was paid; null on a credit note. */
  paidAt: Date | null
  /** The invoice that a credit note takes back, or that a replacement stands for. */
  refersTo: { number: string; issuedAt: Date } | null
  /** Address at which anyone can check the document; printed as a QR code and as text. */
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

export interface PrintedLine {
  label: string
  /** Before discount and tax; negative for what an earlier change left to give back. */
  amount: number
  discount: number
  tax: number
  /** Part of a period, after a change of product. */
  proration: boolean
}

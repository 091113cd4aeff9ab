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
  refersTo: { number: string; issuedAt: Date; kind?: DocumentModel['kind']; timeZone?: string } | null
  /** IANA time zone of the seller, which dates follow; absent: UTC. */
  timeZone?: string
  /** Time zone of the dates of the sale: that of the first document, if the seller has changed it since; absent: `timeZone`. */
  saleTimeZone?: string
  /** How the order was paid. */
  payment?: { type: string; brand: string | null; last4: string | null } | null
  /** How the buyer pays; absent or null if the order was paid before the invoice, and on a credit note. */
  transfer?: TransferTerms | null
  /** A credit note that lowers what its unpaid invoice states as due; absent: nothing was due, and the amount is returned or replaced. */
  isOffset?: boolean
  /** A credit note because the claim was given up; absent: of a refund or a correction. */
  isVoid?: boolean
  orderId?: string
  /** Reference that the buyer wants on the invoice. */
  buyerReference?: string | null
  /** Refund that a credit note was issued for; null if the invoice was wrong or its claim was given up, absent in snapshots of earlier releases. */
  refund?: { reason: string | null; refundedAt: Date } | null
  /** Rules that the electronic document follows; absent: those of EN 16931 only. */
  profile?: 'en16931' | 'xrechnung' | 'peppol'
  /** Public URL for verifying the document; printed as a QR code and as text. */
  verifyUrl: string
}

/** Terms of an invoice that is paid by bank transfer. */
export interface TransferTerms {
  beneficiary: string
  iban: string
  bic: string | null
  /** Creditor reference (ISO 11649). */
  reference: string
  /** Calendar date, `2026-12-31`. */
  dueDate: string
  /** Content of the QR code of banking applications (EPC069-12); null for other currencies than euro. */
  epc: string | null
}

export interface SellerBlock {
  name: string
  address: Address | null
  taxId: string | null
  /** `data:` URL of a PNG or JPEG. */
  logo: string | null
  /** Small print at the end: bank, register, terms. May have several lines. */
  footer: string | null
  contact?: { name: string | null; email: string | null; phone: string | null } | null
  /** Why no tax is charged, if no sale is taxed. */
  taxExemption?: string | null
  /** Address in a network: a scheme, a colon and the address. */
  electronicAddress?: string | null
}

export interface BuyerBlock {
  name: string
  address: Address
  taxId: string | null
  email: string
  /** Address in a network: a scheme, a colon and the address. */
  electronicAddress?: string | null
}

export interface DocumentLine {
  label: string
  /** Before discount and tax; negative for a credit from an earlier change. */
  amount: number
  discount: number
  tax: number
  /** Part of a period after a change of product. */
  proration: boolean
  /** Number of units; absent in snapshots of earlier releases: 1. The price of a unit is the amount divided by it. */
  quantity?: number
  /** The tax of the line: 1 for the first of `taxes`, 0 for none; absent in snapshots of earlier releases. */
  taxPosition?: number
}

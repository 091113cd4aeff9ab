import type { AdjustmentKind } from '@quittance/contracts/proration-label'

/** All strings of a document in one language. */
export interface DocumentStrings {
  direction: 'ltr' | 'rtl'
  invoice: string
  invoiceNumber: string
  creditNote: string
  creditNoteNumber: string
  dateOfIssue: string
  dateOfOrder: string
  dateOfSupply: string
  dateOfRefund: string
  currency: string
  seller: string
  buyer: string
  /** Before a VAT number. */
  taxId: string
  /** Before any other tax number. Languages whose countries have one name for both repeat it. */
  taxNumber: string
  description: string
  quantity: string
  unitPrice: string
  amount: string
  /** Below a line of a subscription. */
  servicePeriod: (period: string) => string
  /** Below a line for part of a period. */
  proration: string
  /** Lines of a change of product, whose labels orders write in English. */
  unused: (product: string) => string
  remaining: (product: string) => string
  /** Other prorated lines. */
  adjustments: Readonly<Record<AdjustmentKind, string>>
  subtotal: string
  discount: string
  net: string
  tax: string
  /** Tax of one rate and its tax base. */
  taxOn: (tax: TaxLine) => string
  total: string
  totalCredited: string
  paidOn: (date: string) => string
  amountDue: string
  dueOn: (date: string) => string
  dueDate: string
  /** Heading of the terms of a bank transfer. */
  transfer: string
  beneficiary: string
  paymentReference: string
  scanToPay: string
  /** Why a credit note was issued. */
  reason: string
  reasons: Readonly<Record<CreditReason, string>>
  takesBack: (invoice: Reference) => string
  reverses: (creditNote: Reference) => string
  replaces: (invoice: Reference) => string
  taxInclusive: string
  /** Legally required wording if the buyer owes the tax. */
  reverseCharge: string
  verify: string
  qrCode: string
  /** Text before, between and after the two numbers of the page count. */
  pageCount: readonly [before: string, between: string, after: string]
}

/** Reasons of refunds that have words, and the correction or the end of an invoice. */
export type CreditReason = 'duplicate' | 'customer_request' | 'service_disruption' | 'satisfaction_guarantee' | 'correction' | 'void'

export interface TaxLine {
  /** Name and rate, for example `VAT 20%`. */
  tax: string
  base: string
}

export interface Reference {
  number: string
  date: string
}

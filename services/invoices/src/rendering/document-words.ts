/** Every word a document prints, in one language. */
export interface DocumentWords {
  direction: 'ltr' | 'rtl'
  invoice: string
  invoiceNumber: string
  creditNote: string
  creditNoteNumber: string
  dateOfIssue: string
  dateOfOrder: string
  currency: string
  seller: string
  buyer: string
  taxId: string
  description: string
  quantity: string
  unitPrice: string
  amount: string
  /** Under a line of a subscription. */
  servicePeriod: (period: string) => string
  /** Under a line for part of a period. */
  proration: string
  subtotal: string
  discount: string
  net: string
  tax: string
  /** Tax of one rate, and what it falls on. */
  taxOn: (tax: TaxLine) => string
  total: string
  totalCredited: string
  paidOn: (date: string) => string
  takesBack: (invoice: Reference) => string
  replaces: (invoice: Reference) => string
  taxExclusive: string
  taxInclusive: string
  /** The words the law asks for where the buyer owes the tax. */
  reverseCharge: string
  verify: string
  qrCode: string
  /** What stands before, between and after the two figures of the page count. */
  pageCount: readonly [before: string, between: string, after: string]
}

export interface TaxLine {
  /** Name and rate, as `VAT 20%`. */
  tax: string
  base: string
}

export interface Reference {
  number: string
  date: string
}

/** Every word an invoice prints, and the locale its amounts and dates follow. */
export interface InvoiceWords {
  language: string
  locale: string
  invoice: string
  invoiceNumber: string
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
  subtotal: string
  discount: string
  tax: string
  total: string
  paidOn: (date: string) => string
  /** What stands before, between and after the two figures of the page count. */
  pageCount: readonly [before: string, between: string, after: string]
}

export const english: InvoiceWords = {
  language: 'en',
  locale: 'en-US',
  invoice: 'Invoice',
  invoiceNumber: 'Invoice number',
  dateOfIssue: 'Date of issue',
  dateOfOrder: 'Date of order',
  currency: 'Currency',
  seller: 'From',
  buyer: 'Bill to',
  taxId: 'Tax ID',
  description: 'Description',
  quantity: 'Quantity',
  unitPrice: 'Unit price',
  amount: 'Amount',
  subtotal: 'Subtotal',
  discount: 'Discount',
  tax: 'Tax',
  total: 'Total',
  paidOn: (date) => `Paid on ${date}`,
  pageCount: ['Page ', ' of ', ''],
}

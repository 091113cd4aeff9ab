import type { FrozenDocument } from './frozen-document.ts'

/** What a credit note gives back, in minor units. */
export interface Credit {
  net: number
  tax: number
}

/** Content of a credit note for so much of an invoice. All of it repeats the lines; a part is one line named like the first. */
export function creditOf(invoice: FrozenDocument, { net, tax }: Credit): Partial<FrozenDocument> {
  const refersTo = { number: invoice.number, issuedAt: invoice.issuedAt }
  const { lines, subtotal, discount, taxes } = invoice
  if (net === invoice.net && tax === invoice.tax) {
    return { ...{ refersTo, lines, subtotal, discount, net, tax, taxes }, total: net + tax }
  }
  const label = lines[0]?.label ?? invoice.number
  return {
    refersTo,
    lines: [{ label, amount: net, discount: 0, tax, proration: false }],
    ...{ subtotal: net, discount: 0, net, tax, total: net + tax },
    taxes: taxes.slice(0, 1).map((rate) => ({ ...rate, taxable_amount: net, amount: tax })),
  }
}

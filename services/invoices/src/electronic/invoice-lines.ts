import type { Invoice } from '@e-invoice-eu/core'
import type { PrintedLine } from '../rendering/printed-document.ts'
import { amountText, type CurrencyCode } from './amount-text.ts'
import type { VatCategory, VatGroup } from './vat-groups.ts'
import { taxCategory } from './vat-breakdown.ts'

type InvoiceLine = Invoice['ubl:Invoice']['cac:InvoiceLine'][number]

/**
 * BG-25, in the order in which they are printed. The net of a line is its amount before the discount, which stands on the document.
 * A price is never negative (BR-27): what is given back is minus one piece of it.
 */
export function invoiceLines(lines: readonly PrintedLine[], groups: readonly VatGroup[], currency: CurrencyCode): InvoiceLine[] {
  const categories = new Map(groups.flatMap(({ category, lines: grouped }) => grouped.map((line) => [line, category] as const)))
  return lines.map((line, index) => {
    const price = amountText(Math.abs(line.amount), currency)
    return {
      'cbc:ID': String(index + 1),
      'cbc:InvoicedQuantity': line.amount < 0 ? '-1' : '1',
      'cbc:InvoicedQuantity@unitCode': 'C62',
      'cbc:LineExtensionAmount': amountText(line.amount, currency),
      'cbc:LineExtensionAmount@currencyID': currency,
      'cac:Item': { 'cbc:Name': line.label, 'cac:ClassifiedTaxCategory': taxCategory(categories.get(line) as VatCategory) },
      'cac:Price': { 'cbc:PriceAmount': price, 'cbc:PriceAmount@currencyID': currency },
    }
  })
}

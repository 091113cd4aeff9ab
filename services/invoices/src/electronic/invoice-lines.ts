import { toDecimal } from '@quittance/contracts/money'
import type { Invoice } from '@e-invoice-eu/core'
import type { DocumentLine } from '../rendering/document-model.ts'
import type { CurrencyCode } from './en16931-fields.ts'
import type { VatCategory, VatGroup } from './vat-groups.ts'
import { taxCategory } from './vat-breakdown.ts'

type InvoiceLine = Invoice['ubl:Invoice']['cac:InvoiceLine'][number]

/**
 * Builds BG-25 in print order. The net amount of a line is before the discount, which is at document level. A price must not be negative
 * (BR-27), so a credit has a negative quantity.
 */
export function invoiceLines(lines: readonly DocumentLine[], groups: readonly VatGroup[], currency: CurrencyCode): InvoiceLine[] {
  const categories = new Map(groups.flatMap(({ category, lines: grouped }) => grouped.map((line) => [line, category] as const)))
  return lines.map((line, index) => {
    const quantity = line.quantity ?? 1
    const price = toDecimal(Math.abs(line.amount) / quantity, currency)
    return {
      'cbc:ID': String(index + 1),
      'cbc:InvoicedQuantity': String(line.amount < 0 ? -quantity : quantity),
      'cbc:InvoicedQuantity@unitCode': 'C62',
      'cbc:LineExtensionAmount': toDecimal(line.amount, currency),
      'cbc:LineExtensionAmount@currencyID': currency,
      'cac:Item': { 'cbc:Name': line.label, 'cac:ClassifiedTaxCategory': taxCategory(categories.get(line) as VatCategory) },
      'cac:Price': { 'cbc:PriceAmount': price, 'cbc:PriceAmount@currencyID': currency },
    }
  })
}

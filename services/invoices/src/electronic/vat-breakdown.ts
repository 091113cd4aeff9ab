import type { Invoice } from '@e-invoice-eu/core'
import { amountText, type CurrencyCode } from './amount-text.ts'
import type { VatCategory, VatGroup } from './vat-groups.ts'

type TaxTotal = Invoice['ubl:Invoice']['cac:TaxTotal'][0]

/** BT-110 and BG-23: the tax as the order keeps it, rounded once for each rate. */
export function taxTotal(tax: number, groups: readonly VatGroup[], currency: CurrencyCode): TaxTotal {
  return {
    'cbc:TaxAmount': amountText(tax, currency),
    'cbc:TaxAmount@currencyID': currency,
    'cac:TaxSubtotal': groups.map((group) => ({
      'cbc:TaxableAmount': amountText(group.taxable, currency),
      'cbc:TaxableAmount@currencyID': currency,
      'cbc:TaxAmount': amountText(group.tax, currency),
      'cbc:TaxAmount@currencyID': currency,
      'cac:TaxCategory': { ...taxCategory(group.category), ...exemption(group.category) },
    })),
  }
}

export function taxCategory({ id, percent }: VatCategory) {
  return { 'cbc:ID': id, ...(percent === null ? {} : { 'cbc:Percent': percent }), 'cac:TaxScheme': { 'cbc:ID': 'VAT' } }
}

function exemption({ exemption: found }: VatCategory) {
  if (!found) return {}
  return { ...(found.code === null ? {} : { 'cbc:TaxExemptionReasonCode': found.code }), 'cbc:TaxExemptionReason': found.reason }
}

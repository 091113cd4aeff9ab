import { toDecimal } from '@quittance/contracts/money'
import type { Invoice } from '@e-invoice-eu/core'
import type { CurrencyCode } from './en16931-fields.ts'
import type { VatCategory, VatGroup } from './vat-groups.ts'

type TaxTotal = Invoice['ubl:Invoice']['cac:TaxTotal'][0]

/** BT-110 and BG-23: the tax as stored in the order, rounded once per rate. */
export function taxTotal(tax: number, groups: readonly VatGroup[], currency: CurrencyCode): TaxTotal {
  return {
    'cbc:TaxAmount': toDecimal(tax, currency),
    'cbc:TaxAmount@currencyID': currency,
    'cac:TaxSubtotal': groups.map((group) => ({
      'cbc:TaxableAmount': toDecimal(group.taxable, currency),
      'cbc:TaxableAmount@currencyID': currency,
      'cbc:TaxAmount': toDecimal(group.tax, currency),
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

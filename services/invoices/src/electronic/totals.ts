import type { Invoice } from '@e-invoice-eu/core'
import type { PrintedDocument } from '../rendering/printed-document.ts'
import { amountText, type CurrencyCode } from './amount-text.ts'
import { taxCategory } from './vat-breakdown.ts'
import type { VatGroup } from './vat-groups.ts'

type Totals = Invoice['ubl:Invoice']['cac:LegalMonetaryTotal']
type Allowance = NonNullable<Invoice['ubl:Invoice']['cac:AllowanceCharge']>[number]

/** BG-20: the discount, for each category it lowers, so that the sum of the lines is the printed subtotal. */
export function allowances(groups: readonly VatGroup[], currency: CurrencyCode): Allowance[] {
  const lowered = groups.filter(({ discount }) => discount !== 0)
  return lowered.map(({ category, discount }) => ({
    'cbc:ChargeIndicator': 'false',
    // UNCL 5189: discount.
    'cbc:AllowanceChargeReasonCode': '95',
    'cbc:AllowanceChargeReason': 'Discount',
    'cbc:Amount': amountText(discount, currency),
    'cbc:Amount@currencyID': currency,
    'cac:TaxCategory': taxCategory(category),
  }))
}

/** BG-22: the printed totals. Documents are made of what is paid, or given back, already; nothing is due. */
export function totals({ subtotal, discount, net, total }: PrintedDocument, currency: CurrencyCode): Totals {
  return {
    'cbc:LineExtensionAmount': amountText(subtotal, currency),
    'cbc:LineExtensionAmount@currencyID': currency,
    'cbc:TaxExclusiveAmount': amountText(net, currency),
    'cbc:TaxExclusiveAmount@currencyID': currency,
    'cbc:TaxInclusiveAmount': amountText(total, currency),
    'cbc:TaxInclusiveAmount@currencyID': currency,
    'cbc:AllowanceTotalAmount': amountText(discount, currency),
    'cbc:AllowanceTotalAmount@currencyID': currency,
    'cbc:PrepaidAmount': amountText(total, currency),
    'cbc:PrepaidAmount@currencyID': currency,
    'cbc:PayableAmount': amountText(0, currency),
    'cbc:PayableAmount@currencyID': currency,
  }
}

import { toDecimal } from '@quittance/contracts/money'
import type { Invoice } from '@e-invoice-eu/core'
import type { DocumentModel } from '../rendering/document-model.ts'
import type { CurrencyCode } from './en16931-fields.ts'
import { taxCategory } from './vat-breakdown.ts'
import type { VatGroup } from './vat-groups.ts'

type Totals = Invoice['ubl:Invoice']['cac:LegalMonetaryTotal']
type Allowance = NonNullable<Invoice['ubl:Invoice']['cac:AllowanceCharge']>[number]

/** BG-20: the discount per category, so that the sum of the lines is the printed subtotal. */
export function allowances(groups: readonly VatGroup[], currency: CurrencyCode): Allowance[] {
  const lowered = groups.filter(({ discount }) => discount !== 0)
  return lowered.map(({ category, discount }) => ({
    'cbc:ChargeIndicator': 'false',
    // UNCL 5189: discount.
    'cbc:AllowanceChargeReasonCode': '95',
    'cbc:AllowanceChargeReason': 'Discount',
    'cbc:Amount': toDecimal(discount, currency),
    'cbc:Amount@currencyID': currency,
    'cac:TaxCategory': taxCategory(category),
  }))
}

/**
 * BG-22: the printed totals. Nothing is due after payment or refund; an invoice that is paid by transfer is due as a whole, and so is the
 * credit note that is offset against it: who adds up the amounts due must not pay it beside its replacement.
 */
export function totals({ subtotal, discount, net, total, transfer, isOffset }: DocumentModel, currency: CurrencyCode): Totals {
  const due = transfer || isOffset ? total : 0
  return {
    'cbc:LineExtensionAmount': toDecimal(subtotal, currency),
    'cbc:LineExtensionAmount@currencyID': currency,
    'cbc:TaxExclusiveAmount': toDecimal(net, currency),
    'cbc:TaxExclusiveAmount@currencyID': currency,
    'cbc:TaxInclusiveAmount': toDecimal(total, currency),
    'cbc:TaxInclusiveAmount@currencyID': currency,
    'cbc:AllowanceTotalAmount': toDecimal(discount, currency),
    'cbc:AllowanceTotalAmount@currencyID': currency,
    'cbc:PrepaidAmount': toDecimal(total - due, currency),
    'cbc:PrepaidAmount@currencyID': currency,
    'cbc:PayableAmount': toDecimal(due, currency),
    'cbc:PayableAmount@currencyID': currency,
  }
}

import type { ApiFailure } from '@quittance/pages/call-api'
import type { FormError } from '@quittance/pages/fields'
import { toFormErrors } from '../checkout/needed-fields.ts'
import type { PageContext } from '../page/page-context.ts'

/** Converts why billing details were not saved, or not invoiced, to errors of the form. */
export function toOrderErrors({ error, issues }: Pick<ApiFailure, 'error' | 'issues'>, context: PageContext): FormError[] {
  const { invoiceError, portal } = context.words
  if (error === 'MissingInvoiceBillingDetails') return [{ field: null, message: invoiceError.sellerDetails }]
  if (error === 'NotPaidOrder') return [{ field: null, message: portal.invoiceAfterPayment }]
  const misplaced = issues.filter(({ type }) => type === 'tax_place').map(({ loc }) => loc.slice(1).join('.'))
  const others = issues.filter(({ type }) => type !== 'tax_place')
  return [...misplaced.map((field) => ({ field, message: invoiceError.place })), ...toFormErrors(others, context)]
}

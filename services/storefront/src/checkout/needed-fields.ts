import type { CheckoutPublic } from '@quittance/contracts/checkout'
import { minPriceAmount } from '@quittance/contracts/money'
import { hasPostalCodes, listStates } from '@quittance/pages/countries'
import type { FormError } from '@quittance/pages/fields'
import { formatMoney, parseMoney } from '@quittance/pages/money'
import { isEmailAddress } from '../page/email-address.ts'
import type { PageContext } from '../page/page-context.ts'
import type { CheckoutForm } from './checkout-form.ts'
import { findPaymentMethod } from './payment-methods.ts'

/** Fields of the address that a checkout needs from this buyer. */
export interface NeededFields {
  country: boolean
  state: boolean
  postalCode: boolean
  street: boolean
}

/** A free product without tax needs no address; others need what tax and invoice depend on, and nothing more. */
export function findNeededFields(checkout: CheckoutPublic, country: string | null): NeededFields {
  const {
    billing_address_fields: modes,
    is_free_product_price: isFree,
    tax_amount: tax,
    require_billing_address: isAddressNeeded,
  } = checkout
  const isCountryNeeded = isAddressNeeded || !isFree || tax === null
  return {
    country: isCountryNeeded,
    state: isCountryNeeded && listStates(country).length > 0,
    postalCode: modes.postal_code === 'required' && country !== null && hasPostalCodes(country),
    street: modes.line1 === 'required',
  }
}

/** Returns every entry that is missing or has the wrong form, in the order of the page. */
export function findMissingEntries(
  form: CheckoutForm,
  { checkout, context }: { checkout: CheckoutPublic; context: PageContext },
): FormError[] {
  const { errors } = context.words
  const needed = findNeededFields(checkout, form.country)
  const isStateMissing = needed.state && !listStates(form.country).some(({ value }) => value === form.state)
  // A seller of transfers has no form that could store a method for a trial: the reply to the order offers it without the trial.
  const hasForm = !checkout.trial_end || findPaymentMethod(checkout) !== null
  const address = (field: string) => `customer_billing_address.${field}`
  const missing: [isMissing: boolean, field: string, message: string][] = [
    [checkout.customer_id === null && !isEmailAddress(form.email), 'customer_email', errors.email],
    [!form.name, 'customer_name', errors.name],
    [needed.country && !form.country, address('country'), errors.country],
    [isStateMissing, address('state'), errors.state],
    [needed.street && !form.line1, address('line1'), errors.line1],
    [needed.postalCode && !form.postalCode, address('postal_code'), errors.postalCode],
    [needed.street && !form.city, address('city'), errors.city],
    [form.isBusiness && !form.company, 'customer_billing_name', errors.company],
    [checkout.is_payment_form_required && hasForm && !form.paymentToken, 'confirmation_token_id', errors.payment],
  ]
  return missing.flatMap(([isMissing, field, message]) => (isMissing ? [{ field, message }] : []))
}

/** Returns what is wrong with the amount that the buyer chose; null if the price has none, or if it fits. */
export function findAmountError(
  form: CheckoutForm,
  { checkout, context }: { checkout: CheckoutPublic; context: PageContext },
): FormError | null {
  const price = chosenPrice(form, checkout)
  if (price?.amount_type !== 'custom' || form.amount === null) return null
  const { errors } = context.words
  const { price_currency: currency, minimum_amount: low, maximum_amount: high } = price
  const amount = parseMoney(form.amount, { currency, locale: context.locale })
  if (amount === null) return { field: 'amount', message: errors.amount }
  const fits = amount >= (low ?? minPriceAmount) && (high === null || amount <= high)
  return fits ? null : { field: 'amount', message: errors.amountLimits(describeLimits(price, context)) }
}

type Price = CheckoutPublic['product_price']

/** Returns the price of the product that the form chooses. */
export function chosenPrice(form: CheckoutForm, { products, product_price }: CheckoutPublic): Price | undefined {
  const product = products.find(({ id }) => id === form.productId)
  return product ? product.prices.find((price) => !price.is_archived) : product_price
}

/** Describes the limits of a custom price in the format of the page. */
export function describeLimits(price: Extract<Price, { amount_type: 'custom' }>, { words, locale }: PageContext): string {
  const { price_currency: currency, minimum_amount: low, maximum_amount: high } = price
  const format = (amount: number) => formatMoney(amount, { currency, locale })
  const lowest = format(low ?? minPriceAmount)
  return high === null ? words.checkout.amountFrom(lowest) : words.checkout.amountBetween(lowest, format(high))
}

const messages = {
  customer_email: 'email',
  customer_name: 'name',
  customer_billing_name: 'company',
  customer_tax_id: 'taxId',
  discount_code: 'code',
  discount_id: 'code',
  product_id: 'product',
  amount: 'amount',
  confirmation_token_id: 'payment',
  customer_billing_address: 'country',
  'customer_billing_address.country': 'country',
  'customer_billing_address.state': 'state',
  'customer_billing_address.postal_code': 'postalCode',
  'customer_billing_address.city': 'city',
  'customer_billing_address.line1': 'line1',
  name: 'name',
  billing_name: 'name',
  billing_address: 'country',
  'billing_address.country': 'country',
  'billing_address.state': 'state',
  'billing_address.postal_code': 'postalCode',
  'billing_address.city': 'city',
  'billing_address.line1': 'line1',
} as const

/** Converts issues of the API to errors of the form: fields are named by their paths in the API. */
export function toFormErrors(issues: readonly { loc: (string | number)[]; msg: string }[], { words }: PageContext): FormError[] {
  return issues.map(({ loc }) => {
    const path = loc.slice(1).join('.')
    const key = messages[path as keyof typeof messages] as (typeof messages)[keyof typeof messages] | undefined
    if (!key) return { field: null, message: words.errors.other(path) }
    const field = path.endsWith('billing_address') ? `${path}.country` : path === 'discount_id' ? 'discount_code' : path
    return { field, message: words.errors[key] }
  })
}

import type { CheckoutPublic } from '@quittance/contracts/checkout'
import type { confirmCheckout, updateCheckoutByClient } from '@quittance/contracts/checkouts'
import type { RequestInput } from '@quittance/contracts/operation'
import { isInEuropeanEconomicArea, listStates } from '@quittance/pages/countries'
import { parseMoney } from '@quittance/pages/money'
import type { CheckoutForm } from './checkout-form.ts'
import { chosenPrice } from './needed-fields.ts'
import { transferToken } from './transfer-choice.ts'

type PriceChange = Omit<RequestInput<typeof updateCheckoutByClient>, 'client_secret'>
type Confirmation = Omit<RequestInput<typeof confirmCheckout>, 'client_secret'>

/** What the form changes about the price. E-mail address and name are not in it: they leave the page with the order only. */
export function toPriceChange(form: CheckoutForm, { checkout, locale }: { checkout: CheckoutPublic; locale: string }): PriceChange {
  // The currency of the chosen product, which the checkout may not have yet.
  const price = chosenPrice(form, checkout)
  const currency = price?.amount_type === 'custom' ? price.price_currency : checkout.currency
  const amount = form.amount ? parseMoney(form.amount, { currency, locale }) : null
  const isOffered = checkout.products.some(({ id }) => id === form.productId)
  const address = toAddress(form, checkout)
  return {
    ...(isOffered && (form.productId !== checkout.product_id || amount !== null) && { product_id: form.productId }),
    ...(amount !== null && { amount }),
    ...(form.code && { discount_code: form.code }),
    ...toBusiness(form, checkout),
    ...(address && { customer_billing_address: address }),
  }
}

/** What the form sends with the order. The price was updated before; `expected_total_amount` keeps it. */
export function toConfirmation(form: CheckoutForm, { checkout, total }: { checkout: CheckoutPublic; total: number }): Confirmation {
  const address = toAddress(form, checkout)
  return {
    // Whatever the checkout is by now: a second press sends the same bytes under the same key. The address of a known customer stays.
    ...(form.email && { customer_email: form.email }),
    customer_name: form.name,
    ...toBusiness(form, checkout),
    ...(form.isBusiness && { customer_billing_name: form.company }),
    // A company typed before, and no longer: null would leave it on the invoice.
    ...(!form.isBusiness && checkout.customer_billing_name && { customer_billing_name: form.name }),
    ...(address && { customer_billing_address: address }),
    ...(form.paymentToken === transferToken
      ? { payment_method_type: 'bank_transfer' as const }
      : form.paymentToken && { confirmation_token_id: form.paymentToken }),
    ...(form.hasConsented && canConsent(checkout, form) && { immediate_access_consent: true }),
    expected_total_amount: total,
  }
}

/** Consumers in the EU and the EEA may give up the right of withdrawal for access that starts at once; only then it is asked for. */
export function canConsent({ product }: CheckoutPublic, { country, isBusiness }: CheckoutForm): boolean {
  return product.benefits.length > 0 && !isBusiness && isInEuropeanEconomicArea(country)
}

/** Empty text removes a tax id; null would leave it. */
function toBusiness({ isBusiness, taxId }: CheckoutForm, { customer_tax_id: known }: CheckoutPublic) {
  return { is_business_customer: isBusiness, ...(isBusiness ? { customer_tax_id: taxId } : known ? { customer_tax_id: '' } : {}) }
}

/**
 * Returns the address of the form: a change replaces the whole address, so parts that the form does not show are taken from the checkout,
 * as long as the country is the same.
 */
function toAddress(form: CheckoutForm, { customer_billing_address: stored }: CheckoutPublic): Confirmation['customer_billing_address'] {
  const { country } = form
  if (!country) return undefined
  const kept = stored?.country === country ? stored : null
  const isState = listStates(country).some(({ value }) => value === form.state)
  return {
    country,
    state: isState ? form.state : (kept?.state ?? null),
    postal_code: form.postalCode || (kept?.postal_code ?? null),
    city: form.city || (kept?.city ?? null),
    line1: form.line1 || (kept?.line1 ?? null),
    line2: form.line2 || (kept?.line2 ?? null),
  }
}

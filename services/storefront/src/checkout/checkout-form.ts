import { toAsciiAddress } from '../page/email-address.ts'
import type { CheckoutPublic } from '@quittance/contracts/checkout'
import { parseCountry } from '@quittance/pages/countries'
import { readText, type PageContext } from '../page/page-context.ts'

/** Typed values of the checkout form; empty text for fields that were not sent. */
export interface CheckoutForm {
  email: string
  name: string
  country: string | null
  state: string
  postalCode: string
  city: string
  line1: string
  line2: string
  isBusiness: boolean
  company: string
  taxId: string
  productId: string
  /** As typed; null if the price has no amount to choose. */
  amount: string | null
  code: string
  paymentToken: string
  /** Whether the buyer agreed that access starts at once. */
  hasConsented: boolean
  /** Total that the page showed beside the order button, in minor units; null if it showed none. */
  shownTotal: number | null
  /** Random text of the page: an order sent twice is placed once. */
  once: string
}

/** Reads the form as the browser sent it. */
export function readCheckoutForm(body: unknown): CheckoutForm {
  const text = (name: string) => (readText(body, name) ?? '').trim().slice(0, 500)
  const total = Number.parseInt(text('expected_total_amount'), 10)
  return {
    email: toAsciiAddress(text('customer_email')),
    name: text('customer_name'),
    country: parseCountry(text('customer_billing_address.country')),
    state: text('customer_billing_address.state'),
    postalCode: text('customer_billing_address.postal_code'),
    city: text('customer_billing_address.city'),
    line1: text('customer_billing_address.line1'),
    line2: text('customer_billing_address.line2'),
    isBusiness: text('is_business_customer') !== '',
    company: text('customer_billing_name'),
    taxId: text('customer_tax_id'),
    productId: text('product_id'),
    amount: readText(body, 'amount')?.trim() ?? null,
    code: text('discount_code'),
    paymentToken: text('confirmation_token_id'),
    hasConsented: text('immediate_access_consent') !== '',
    shownTotal: Number.isSafeInteger(total) ? total : null,
    once: text('once')
      .replaceAll(/[^\w-]/g, '')
      .slice(0, 64),
  }
}

/** Fills the form from the checkout; an unknown country is the one of the visitor's language. */
export function fillCheckoutForm(checkout: CheckoutPublic, { region }: PageContext): CheckoutForm {
  const address = checkout.customer_billing_address
  return {
    email: checkout.customer_email ?? '',
    name: checkout.customer_name ?? '',
    country: address?.country ?? parseCountry(region),
    state: address?.state ?? '',
    postalCode: address?.postal_code ?? '',
    city: address?.city ?? '',
    line1: address?.line1 ?? '',
    line2: address?.line2 ?? '',
    isBusiness: checkout.is_business_customer || Boolean(checkout.customer_tax_id),
    company: checkout.customer_billing_name ?? '',
    taxId: checkout.customer_tax_id ?? '',
    productId: checkout.product_id,
    amount: null,
    code: '',
    paymentToken: '',
    hasConsented: false,
    shownTotal: null,
    once: '',
  }
}

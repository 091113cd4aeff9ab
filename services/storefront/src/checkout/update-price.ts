import type { CheckoutPublic } from '@quittance/contracts/checkout'
import { getCheckoutByClient, updateCheckoutByClient } from '@quittance/contracts/checkouts'
import { ApiFailure } from '@quittance/pages/call-api'
import type { FormError } from '@quittance/pages/fields'
import type { AppOptions, PageContext } from '../page/page-context.ts'
import { toPriceChange } from './buyer-changes.ts'
import type { CheckoutForm } from './checkout-form.ts'
import { findAmountError, toFormErrors } from './needed-fields.ts'

/** A form that was sent. */
export interface CheckoutChange {
  secret: string
  form: CheckoutForm
  context: PageContext
  options: Pick<AppOptions, 'api'>
}

/** What a form led to. */
export type OrderOutcome =
  | {
      kind: 'form'
      checkout: CheckoutPublic
      form: CheckoutForm
      errors: FormError[]
      notice?: string
      status?: number
      retryAfterSeconds?: number
    }
  /** `sessionToken` is null if the order was placed before, by another page. */
  | { kind: 'ordered'; sessionToken: string | null }
  | { kind: 'subscribed'; checkout: CheckoutPublic }
  /** The checkout has ended without a payment. */
  | { kind: 'failed'; checkout: CheckoutPublic }

/** The checkout after a change, and what was wrong with the change. */
export interface PricedCheckout {
  checkout: CheckoutPublic
  errors: FormError[]
  /** False if the checkout was ordered before: its price no longer changes. */
  isOpen: boolean
}

/** Applies what the form changes about the price. A rejected change leaves the checkout as it was, with the reason at its field. */
export async function applyPriceChange({ secret, form, context, options: { api } }: CheckoutChange): Promise<PricedCheckout> {
  const { visitor } = context
  const read = () => api.call(getCheckoutByClient, { client_secret: secret }, { visitor })
  const current = await read()
  if (current.status !== 'open') return { checkout: current, errors: [], isOpen: false }
  const amountError = findAmountError(form, { checkout: current, context })
  if (amountError) return { checkout: current, errors: [amountError], isOpen: true }
  const change = toPriceChange(form, { checkout: current, locale: context.locale })
  const send = (part: typeof change) => api.call(updateCheckoutByClient, { client_secret: secret, ...part }, { visitor })
  try {
    return { checkout: await send(change), errors: [], isOpen: true }
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error
    if (error.error === 'NotOpenCheckout') return { checkout: await read(), errors: [], isOpen: false }
    if (error.status !== 422) throw error
    const errors = toFormErrors(error.issues, context)
    // A wrong tax id or code must not keep the country from the total.
    const checkout = errors.some(({ field }) => isSeparable(field)) ? await send(withoutRejected(change)).catch(() => current) : current
    return { checkout, errors, isOpen: true }
  }
}

const separable = ['customer_tax_id', 'discount_code'] as const

function isSeparable(field: string | null): boolean {
  return (separable as readonly (string | null)[]).includes(field)
}

/** Empty text removes an earlier tax id, which may be of another country. */
function withoutRejected<Change extends { customer_tax_id?: unknown; discount_code?: unknown }>(change: Change): Change {
  const { discount_code: _, ...rest } = change
  return { ...rest, ...('customer_tax_id' in change && { customer_tax_id: '' }) } as Change
}

/** A checkout that was ordered in another window keeps its discount. */
async function removeDiscount({ secret, context: { visitor }, options: { api } }: CheckoutChange): Promise<void> {
  try {
    await api.call(updateCheckoutByClient, { client_secret: secret, discount_code: null }, { visitor })
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.error !== 'NotOpenCheckout') throw error
  }
}

/** Shows the form with the price after a change: a new total, a code applied or removed, or only another language. */
export async function updatePrice(change: CheckoutChange & { intent: string }): Promise<OrderOutcome> {
  const { secret, form, context, options, intent } = change
  const call = { visitor: context.visitor }
  if (intent === 'language') {
    const checkout = await options.api.call(getCheckoutByClient, { client_secret: secret }, call)
    return checkout.status === 'open' ? { kind: 'form', checkout, form, errors: [] } : { kind: 'ordered', sessionToken: null }
  }
  if (intent === 'remove-discount') await removeDiscount(change)
  const { checkout, errors, isOpen } = await applyPriceChange(change)
  if (!isOpen) return { kind: 'ordered', sessionToken: null }
  return {
    kind: 'form',
    checkout,
    form: { ...form, code: errors.length > 0 ? form.code : '' },
    errors,
    status: errors.length > 0 ? 422 : 200,
  }
}

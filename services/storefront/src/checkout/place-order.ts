import { setTimeout as delay } from 'node:timers/promises'
import type { CheckoutPublic } from '@quittance/contracts/checkout'
import { confirmCheckout, getCheckoutByClient, updateCheckoutByClient } from '@quittance/contracts/checkouts'
import { ApiFailure } from '@quittance/pages/call-api'
import { formatTime } from '@quittance/pages/dates'
import { findMissingEntries, toFormErrors } from './needed-fields.ts'
import { createMoneyFormat } from './order-summary.ts'
import { toConfirmation } from './buyer-changes.ts'
import { applyPriceChange, type CheckoutChange, type OrderOutcome } from './update-price.ts'

/**
 * Orders: updates the price, names everything that is missing at once, and confirms the total that the page showed. Another total is shown
 * again and not charged.
 */
export async function placeOrder(change: CheckoutChange): Promise<OrderOutcome> {
  const { form, context } = change
  const { checkout, errors, isOpen } = await applyPriceChange(change)
  // A second press of the button: the same order is confirmed with the same key, which returns the first reply.
  if (!isOpen) return checkout.status === 'failed' ? { kind: 'failed', checkout } : confirmOrder(change, checkout)
  const missing = findMissingEntries(form, { checkout, context }).filter(({ field }) => errors.every((each) => each.field !== field))
  const all = [...missing, ...errors]
  if (all.length > 0) return { kind: 'form', checkout, form, errors: all, status: 422 }
  if (form.shownTotal !== checkout.total_amount) return showTotal(change, checkout)
  return confirmOrder(change, checkout)
}

function showTotal({ form, context }: CheckoutChange, checkout: CheckoutPublic): OrderOutcome {
  const total = createMoneyFormat(checkout.currency, context)(checkout.total_amount)
  return {
    kind: 'form',
    checkout,
    form: { ...form, code: '' },
    errors: [],
    notice: context.words.checkout.totalChanged(total),
    status: 409,
  }
}

/** Waits between attempts while the first of two equal orders is in progress. */
const repeatAfterMs = [300, 600, 1_200]

async function confirmOrder(change: CheckoutChange, checkout: CheckoutPublic): Promise<OrderOutcome> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await sendConfirmation(change, checkout)
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error
      const waitMs = repeatAfterMs[attempt]
      if (error.status !== 409 || waitMs === undefined) return toOutcome(error, { change, checkout })
      await delay(waitMs)
    }
  }
}

async function sendConfirmation(
  { secret, form, context, options: { api } }: CheckoutChange,
  checkout: CheckoutPublic,
): Promise<OrderOutcome> {
  const { visitor } = context
  const total = form.shownTotal ?? checkout.total_amount
  const request = { client_secret: secret, ...toConfirmation(form, { checkout, total }) }
  const { customer_session_token } = await api.call(confirmCheckout, request, { visitor, ...(form.once && { idempotencyKey: form.once }) })
  // Most payments are complete by now, and the next page is the last one.
  for (const waitMs of [200, 600, 1_000]) {
    await delay(waitMs)
    // The order is placed: the next page tries again what cannot be read here.
    const current = await api.call(getCheckoutByClient, { client_secret: secret }, { visitor }).catch(() => null)
    if (current?.status !== 'confirmed') break
  }
  return { kind: 'ordered', sessionToken: customer_session_token }
}

async function toOutcome(
  error: ApiFailure,
  { change, checkout }: { change: CheckoutChange; checkout: CheckoutPublic },
): Promise<OrderOutcome> {
  const { form, context } = change
  const { words } = context
  if (error.error === 'AlreadyActiveSubscriptionError') return { kind: 'subscribed', checkout }
  if (error.error === 'TooManyRequests') return postponeOrder(error, { change, checkout })
  if (error.error === 'NotOpenCheckout' || error.status === 409) return { kind: 'ordered', sessionToken: null }
  if (error.error === 'PaymentError') {
    // The last of several declines ends the checkout.
    const current = await readCheckout(change)
    if (current.status === 'failed') return { kind: 'failed', checkout: current }
    return { kind: 'form', checkout, form, errors: [{ field: 'confirmation_token_id', message: words.checkout.declined }], status: 422 }
  }
  if (error.status !== 422) throw error
  if (error.issues.some(({ loc }) => loc.at(-1) === 'Idempotency-Key')) return replaceStaleForm(change)
  if (error.issues.some(({ loc }) => loc.at(-1) === 'expected_total_amount')) {
    return showTotal(change, await readCheckout(change))
  }
  const rejectedTrial = error.issues.find(({ loc }) => loc.at(-1) === 'allow_trial')
  if (rejectedTrial) return offerWithoutTrial(change, { isUsed: rejectedTrial.type !== 'trial_needs_payment_method' })
  return { kind: 'form', checkout, form, errors: toFormErrors(error.issues, context), status: 422 }
}

/** The form was sent before, with other entries: what it led to is kept under its key. A page of the current state has a new key. */
async function replaceStaleForm(change: CheckoutChange): Promise<OrderOutcome> {
  const checkout = await readCheckout(change)
  if (checkout.status === 'failed') return { kind: 'failed', checkout }
  return checkout.status === 'open' ? showTotal(change, checkout) : { kind: 'ordered', sessionToken: null }
}

/** The buyer has had a trial of the product, or the seller cannot charge its end: shows what it costs without one, before anything is ordered. */
async function offerWithoutTrial(placed: CheckoutChange, { isUsed }: { isUsed: boolean }): Promise<OrderOutcome> {
  const { secret, form, context, options } = placed
  const change = { client_secret: secret, allow_trial: false } as const
  const checkout = await options.api.call(updateCheckoutByClient, change, { visitor: context.visitor })
  if (!isUsed) return showTotal(placed, checkout)
  return { kind: 'form', checkout, form: { ...form, code: '' }, errors: [], notice: context.words.trial.used, status: 409 }
}

function readCheckout({ secret, context, options }: CheckoutChange): Promise<CheckoutPublic> {
  return options.api.call(getCheckoutByClient, { client_secret: secret }, { visitor: context.visitor })
}

/** Shows the form again, with the time from which payments of this visitor are tried. Throws for the limit of all requests, which is short. */
function postponeOrder(
  error: ApiFailure,
  { change: { form, context }, checkout }: { change: CheckoutChange; checkout: CheckoutPublic },
): OrderOutcome {
  const { retryAfterSeconds } = error
  if (!retryAfterSeconds || retryAfterSeconds < 60) throw error
  const time = formatTime(new Date(Date.now() + retryAfterSeconds * 1_000), context.locale)
  const notice = context.words.payment.tooManyDeclines(time)
  return { kind: 'form', checkout, form, errors: [], notice, status: 429, retryAfterSeconds }
}

import { CheckoutPublic } from '@quittance/contracts/checkout'
import { confirmCheckout, getCheckoutByClient } from '@quittance/contracts/checkouts'
import type { Operation } from '@quittance/contracts/operation'
import { buildContractExample } from '@quittance/contracts/schema-example'
import { ApiFailure, ApiUnavailable, type ApiClient } from '@quittance/pages/call-api'
import { chooseLocale } from '@quittance/pages/locale'
import { expect, test } from 'vitest'
import type { PageContext } from '../page/page-context.ts'
import { wordsIn } from '../words/all-words.ts'
import { readCheckoutForm } from './checkout-form.ts'
import { placeOrder } from './place-order.ts'

const context = { ...chooseLocale({ chosen: 'en' }), words: wordsIn('en') } as PageContext
const open = { ...(buildContractExample(CheckoutPublic) as CheckoutPublic), status: 'open', is_payment_form_required: false }
const form = readCheckoutForm({
  customer_email: 'grace@example.com',
  customer_name: 'Grace Hopper',
  'customer_billing_address.country': 'GB',
  'customer_billing_address.postal_code': 'SW1A 1AA',
  'customer_billing_address.line1': 'Street 1',
  once: 'a',
  'customer_billing_address.city': 'London',
  expected_total_amount: String(open.total_amount),
})

/** Replies of an API that can be called no more once the checkout is confirmed. */
function failAfterOrder(failure: Error): ApiClient {
  let isOrdered = false
  const call = async (operation: Operation) => {
    if (operation === getCheckoutByClient && isOrdered) throw failure
    if (operation === confirmCheckout) isOrdered = true
    return { ...open, customer_session_token: 'qt_cst_1' }
  }
  return { call: call as ApiClient['call'], isReady: async () => true, close: async () => {} }
}

test.each([new ApiFailure(429, { body: { error: 'TooManyRequests' }, retryAfterSeconds: 1 }), new ApiUnavailable('No gateway replied')])(
  'an order leads to its confirmation although the API cannot be read afterwards: %s',
  async (failure) => {
    const outcome = await placeOrder({ secret: open.client_secret, form, context, options: { api: failAfterOrder(failure) } })
    expect(outcome).toEqual({ kind: 'ordered', sessionToken: 'qt_cst_1' })
  },
)

/** Replies of an API to a form that was sent before with other entries: its checkout is `status` by now. */
function rejectKey(before: string, after: string): ApiClient {
  const issue = { loc: ['header', 'Idempotency-Key'], msg: 'This key was used with another request.', type: 'value_error' }
  let status = before
  const call = async (operation: Operation) => {
    if (operation !== confirmCheckout) return { ...open, status }
    status = after
    throw new ApiFailure(422, { body: { error: 'RequestValidationError', detail: [issue] }, retryAfterSeconds: null })
  }
  return { call: call as ApiClient['call'], isReady: async () => true, close: async () => {} }
}

const sendStale = (before: string, after: string) =>
  placeOrder({ secret: open.client_secret, form, context, options: { api: rejectKey(before, after) } })

test.each([
  ['confirmed', 'confirmed'],
  ['succeeded', 'succeeded'],
  ['open', 'confirmed'],
])('a form that is sent again with other entries leads to the order: %s, then %s', async (before, after) => {
  expect(await sendStale(before, after)).toEqual({ kind: 'ordered', sessionToken: null })
})

test('a form that is sent again with other entries, after which its checkout fails, states the failure', async () => {
  expect(await sendStale('open', 'failed')).toMatchObject({ kind: 'failed' })
})

test('a form that is sent again with other entries shows the total to order again', async () => {
  const outcome = await sendStale('open', 'open')
  expect(outcome).toMatchObject({ kind: 'form', form: { name: form.name }, errors: [], status: 409 })
  expect(outcome).toHaveProperty('notice', expect.stringContaining('Nothing was charged. Check it and order again.'))
})

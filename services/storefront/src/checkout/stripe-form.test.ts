import { expect, test } from 'vitest'
import { toStripeAmount } from './stripe-form.ts'

test.each([
  ['usd', 4900, 4900],
  ['jpy', 500, 500],
  ['isk', 5, 500],
  ['ugx', 5, 500],
  ['mga', 500, 5],
])('the form of Stripe gets a total of %s in the units of its payment', (currency, total_amount, amount) => {
  expect(toStripeAmount({ total_amount, currency })).toBe(amount)
})

import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { createCheckoutLink, updateCheckoutLink } from './checkout-links.ts'
import { confirmCheckout, createCheckout, updateCheckout } from './checkouts.ts'
import { updatePortalCustomer } from './portal-customers.ts'
import { createProduct, updateProduct } from './products.ts'

const id = randomUUID()
const price = { amount_type: 'fixed', price_amount: 3_000 }
const sold = { products: [id] }
const plan = { name: 'Plan', recurring_interval: 'month', prices: [price] }

const trial = { trial_interval: 'day', trial_interval_count: 14 }

/** Later versions of the client send these keys. Without them other amounts would be charged, or at other times. */
test.each([
  { name: 'a product of three months', operation: createProduct, required: plan, terms: { recurring_interval_count: 3 } },
  { name: 'a change to three months', operation: updateProduct, required: { id }, terms: { recurring_interval_count: 3 } },
  { name: 'a checkout with its own prices', operation: createCheckout, required: sold, terms: { prices: { [id]: [price] } } },
  { name: 'a checkout of five seats', operation: createCheckout, required: sold, terms: { seats: 5 } },
  { name: 'a checkout of at least five seats', operation: createCheckout, required: sold, terms: { min_seats: 5 } },
  { name: 'a checkout with its own trial', operation: createCheckout, required: sold, terms: trial },
  { name: 'a change of the trial of a checkout', operation: updateCheckout, required: { id }, terms: trial },
  { name: 'a confirmation of five seats', operation: confirmCheckout, required: { client_secret: 'qt_co_secret' }, terms: { seats: 5 } },
  { name: 'a link to five seats', operation: createCheckoutLink, required: sold, terms: { seats: 5 } },
  { name: 'a link with its own trial', operation: createCheckoutLink, required: sold, terms: trial },
  { name: 'a change of the trial of a link', operation: updateCheckoutLink, required: { id }, terms: trial },
  { name: 'another default method', operation: updatePortalCustomer, required: {}, terms: { default_payment_method_id: id } },
])('rejects $name instead of ignoring its terms', ({ operation: { request }, required, terms }) => {
  expect(request.safeParse(required)).toMatchObject({ success: true })
  const empty = Object.fromEntries(Object.keys(terms).map((key) => [key, null]))
  expect(request.safeParse({ ...required, ...empty })).toMatchObject({ success: true })
  expect(request.safeParse({ ...required, ...terms }).error?.issues.map(({ path }) => path[0])).toEqual(Object.keys(terms))
})

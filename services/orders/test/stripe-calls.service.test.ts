import { expect, test } from 'vitest'
import { startStripeWorld } from './start-stripe-world.ts'
import { paymentCases } from './stripe-contract-cases.ts'
import { laterCases } from './stripe-contract-later-cases.ts'

/** The calls of the adapter; docs/stripe.md derives the permissions of the key from them. */
const permitted = new Set([
  'GET /v1/account',
  'GET /v1/balance',
  'GET /v1/confirmation_tokens/:id',
  'GET /v1/disputes/:id',
  'GET /v1/events',
  'POST /v1/customers',
  'POST /v1/customers/:id',
  'GET /v1/customers/:id/payment_methods',
  'POST /v1/payment_methods/:id/detach',
  'POST /v1/payment_intents',
  'GET /v1/payment_intents',
  'GET /v1/payment_intents/:id',
  'POST /v1/payment_intents/:id/confirm',
  'POST /v1/payment_intents/:id/cancel',
  'POST /v1/setup_intents',
  'GET /v1/setup_intents',
  'GET /v1/setup_intents/:id',
  'POST /v1/setup_intents/:id/confirm',
  'POST /v1/setup_intents/:id/cancel',
  'POST /v1/refunds',
  'GET /v1/refunds',
  'GET /v1/refunds/:id',
])

test('makes the documented calls and no others, each POST with our key, none with confirm: true [payments 12, 51]', async () => {
  await using world = await startStripeWorld()
  for (const [, run] of [...paymentCases, ...laterCases]) await run(world)
  expect(world.fake.calls.map(({ route }) => route).filter((route) => !permitted.has(route))).toEqual([])
  expect(world.fake.keysNotOurs()).toEqual([])
  expect(world.fake.calls.filter(({ body }) => /(^|&)confirm=/.test(body))).toEqual([])
})

import { randomUUID } from 'node:crypto'
import type { Caller } from '@quittance/contracts/caller'
import {
  addCustomerPaymentMethod,
  deleteCustomerPaymentMethod,
  listCustomerPaymentMethods,
  setDefaultCustomerPaymentMethod,
} from '@quittance/contracts/customer-payment-methods'
import { createCustomer } from '@quittance/contracts/customers'
import { createPaymentAccount } from '@quittance/contracts/payment-accounts'
import { customerCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { readEvents } from './read-events.ts'
import { buildAccountRequest, deliverEvent, startStripeShop, type StripeShop } from './stripe-shop.ts'
import { advance, after, buyPlan, waitForSubscription } from './subscribe.ts'

async function startBuyer({ orders, shop }: StripeShop): Promise<{ buyer: Caller; customerId: string }> {
  const { id: customerId } = await orders.call(createCustomer, { email: `${randomUUID()}@example.com` }, shop.seller)
  return { buyer: customerCaller({ organizationId: shop.organizationId, customerId }), customerId }
}

/** Stores a card. Returns its ids here and at the provider. */
async function store({ orders, fake, stripe }: StripeShop, buyer: Caller): Promise<{ id: string; theirs: string }> {
  const known = new Set(fake.state(stripe.id).methods.keys())
  const token = fake.buyer.createToken(stripe.id)
  const { id } = await orders.call(addCustomerPaymentMethod, { confirmation_token_id: token }, buyer)
  const theirs = [...fake.state(stripe.id).methods.keys()].find((each) => !known.has(each)) ?? ''
  return { id, theirs }
}

const read = ({ orders }: StripeShop) => readEvents(orders, 'event.payment_method.updated')

/** Outcomes of the handled events of a type. The job that lists missed events may find those of the storing of the card too. */
async function handled({ orders }: StripeShop, type: string): Promise<string[]> {
  const sql = 'select outcome from provider_events where type = $1 and handled_at is not null'
  return (await orders.rows<{ outcome: string }>(sql, [type])).map(({ outcome }) => outcome)
}

const renewed = 'payment_method.automatically_updated'

test('a card that its network renewed is shown and published with its new details, once', async () => {
  await using shop = await startStripeShop()
  const { buyer, customerId } = await startBuyer(shop)
  const { id, theirs } = await store(shop, buyer)
  shop.fake.bank.renewCard(shop.stripe.id, theirs, { last4: '0077', exp_year: 2039 })
  for (let count = 0; count < 3; count++) await deliverEvent(shop, renewed)
  await eventually(async () => expect(await handled(shop, renewed)).toEqual(['checked']))
  const card = { brand: 'visa', last4: '0077', exp_month: 12, exp_year: 2039, wallet: null }
  expect(await read(shop)).toMatchObject([{ aggregate_id: customerId, payload: { id, card, default: true, is_detached: false } }])
  const { items } = await shop.orders.call(listCustomerPaymentMethods, {}, buyer)
  expect(items).toMatchObject([{ id, card, method_metadata: card }])
  // The same event again reads the same details.
  await shop.orders.rows('update provider_events set handled_at = null, outcome = null, next_try_at = now() returning 1')
  await eventually(async () => expect(await handled(shop, renewed)).toEqual(['checked']))
  expect(await read(shop)).toHaveLength(1)
})

test('a method that was detached at the provider is not charged any more, and published as detached', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe, shop: seller } = shop
  const bought = await buyPlan(orders, seller, { price: 1000, token: fake.buyer.createToken(stripe.id) })
  const active = await waitForSubscription(orders, bought, { status: 'active' })
  const [theirs = ''] = [...fake.state(stripe.id).methods.keys()]
  fake.bank.detachMethod(stripe.id, theirs)
  await deliverEvent(shop, 'payment_method.detached')
  await eventually(async () => expect(await read(shop)).toMatchObject([{ payload: { is_detached: true, default: false } }]))
  expect(fake.calls.filter(({ path }) => path.endsWith('/detach'))).toEqual([])
  await advance(orders, seller, after(active.current_period_end))
  await waitForSubscription(orders, bought, { status: 'past_due' })
  expect(fake.state(stripe.id).paymentIntents.size).toBe(1)
})

test('a change of the default publishes both methods, and a deletion the deleted one', async () => {
  await using shop = await startStripeShop()
  const { orders } = shop
  const { buyer } = await startBuyer(shop)
  const [first, second] = [await store(shop, buyer), await store(shop, buyer)]
  await orders.call(setDefaultCustomerPaymentMethod, { id: second.id }, buyer)
  await orders.call(setDefaultCustomerPaymentMethod, { id: second.id }, buyer)
  await orders.call(deleteCustomerPaymentMethod, { id: first.id }, buyer)
  const states = (await read(shop)).map(({ payload }) => [payload.id, payload.default, payload.is_detached])
  expect(states).toEqual([
    [first.id, false, false],
    [second.id, true, false],
    [first.id, false, true],
  ])
  // The provider reports the call of the service: nothing is left to record.
  await eventually(async () => expect(await orders.rows('select from payment_methods where detach_due_at is not null')).toEqual([]))
  await deliverEvent(shop, 'payment_method.detached')
  await eventually(async () =>
    expect(await orders.rows(`select from provider_events where type = 'payment_method.detached' and attempts > 0`)).toHaveLength(1),
  )
  expect(await read(shop)).toHaveLength(3)
})

test('an event that another seller signs changes no method of this one', async () => {
  await using shop = await startStripeShop()
  const { orders, fake } = shop
  const { buyer } = await startBuyer(shop)
  const { theirs } = await store(shop, buyer)
  const [hostile, stripe] = [await orders.shop(), fake.createAccount()]
  const account = await orders.call(createPaymentAccount, buildAccountRequest(stripe), hostile.seller)
  fake.bank.detachMethod(shop.stripe.id, theirs)
  fake.state(stripe.id).events.push(...fake.state(shop.stripe.id).events.slice(-1))
  await deliverEvent({ ...shop, shop: hostile, stripe, account }, 'payment_method.detached')
  await eventually(async () =>
    expect(await orders.rows(`select from provider_events where type = 'payment_method.detached' and attempts > 0`)).toHaveLength(1),
  )
  expect(await read(shop)).toEqual([])
  expect(await orders.rows('select status from payment_methods')).toEqual([{ status: 'active' }])
})

test('a method that changed while it was read is read again', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe } = shop
  const { buyer } = await startBuyer(shop)
  const { theirs } = await store(shop, buyer)
  const readAttempts = async () =>
    (await orders.rows<{ attempts: number }>('select attempts from provider_events where type = $1 and attempts > 0', [renewed]))[0]
      ?.attempts
  let isChanged = false
  fake.decideFaults(async ({ route }, moment) => {
    if (route !== 'GET /v1/customers/:id/payment_methods' || moment !== 'after' || isChanged) return null
    isChanged = (await readAttempts()) === 1
    if (isChanged) await orders.rows('update payment_methods set version = version + 1 returning 1')
    return null
  })
  fake.bank.renewCard(stripe.id, theirs, { last4: '0077', exp_year: 2039 })
  await deliverEvent(shop, renewed)
  await eventually(async () => expect(await handled(shop, renewed)).toEqual(['checked']))
  fake.decideFaults(null)
  expect(await readAttempts()).toBe(2)
  expect(await read(shop)).toMatchObject([{ payload: { card: { last4: '0077' } } }])
})

import { randomUUID } from 'node:crypto'
import { setDefaultCustomerPaymentMethod } from '@quittance/contracts/customer-payment-methods'
import { confirmCheckout, createCheckout, getCheckout, updateCheckout, updateCheckoutByClient } from '@quittance/contracts/checkouts'
import { updateCustomerSubscription } from '@quittance/contracts/customer-subscriptions'
import { customerStateChanged } from '@quittance/contracts/customer-state'
import { createDiscount } from '@quittance/contracts/discounts'
import { RequestValidationError } from '@quittance/contracts/errors'
import { listOrders, orderPaid } from '@quittance/contracts/orders'
import { createProduct, updateProduct } from '@quittance/contracts/products'
import { subscriptionTrialEnding } from '@quittance/contracts/subscription-announcements'
import {
  getSubscription,
  previewSubscriptionChange,
  subscriptionActive,
  subscriptionUpdated,
  updateSubscription,
} from '@quittance/contracts/subscriptions'
import { customerCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { expectMoneyToAddUp } from './money.ts'
import { readEvents } from './read-events.ts'
import { startOrders, type OrdersUnderTest, type Shop } from './start-orders.ts'
import { storeFurtherMethod } from './stored-method.ts'
import { advance, after, buyPlan, createPlan, waitForSubscription, type Subscribed } from './subscribe.ts'

const anonymous = { kind: 'anonymous' } as const
const prices = [{ amount_type: 'fixed' as const, price_amount: 1000 }]
const trial = { trial_interval: 'day' as const, trial_interval_count: 14, trial_without_payment_method: true }
const plan = { name: 'Reading room', recurring_interval: 'month' as const, prices, ...trial }

const open = (orders: OrdersUnderTest, { seller, product }: Pick<Shop, 'seller' | 'product'>, terms: object = {}) =>
  orders.call(createCheckout, { products: [product.id], ...terms }, seller)

const findOrders = async (orders: OrdersUnderTest, { seller }: Pick<Shop, 'seller'>) => (await orders.call(listOrders, {}, seller)).items

/** Starts a trial of 14 days without a payment method. */
async function startTrial(orders: OrdersUnderTest, { shop, email, ...terms }: { shop?: Shop; email?: string; discount_id?: string } = {}) {
  const at = shop ?? (await orders.shop())
  const product = await orders.call(createProduct, plan, at.seller)
  const { id, client_secret } = await open(orders, { ...at, product }, terms)
  const confirmation = { client_secret, customer_email: email ?? `${randomUUID()}@example.com` }
  const confirmed = await orders.call(confirmCheckout, confirmation, anonymous)
  const [row] = await orders.rows<{ id: string }>('select id from subscriptions where checkout_id = $1', [id])
  const subscription = await orders.call(getSubscription, { id: row?.id ?? '' }, at.seller)
  const buyer = customerCaller({ organizationId: at.organizationId, customerId: subscription.customer_id })
  return { ...at, product, subscription, buyer, confirmed, checkoutId: id }
}

/** Returns a customer with a stored method, whose subscription has ended. */
async function leaveStoredMethod(orders: OrdersUnderTest) {
  const shop = await orders.shop()
  const email = 'ada@example.com'
  const first = await buyPlan(orders, shop, { email })
  const { customer_id: customerId, id } = await waitForSubscription(orders, first, { status: 'active' })
  await orders.call(updateSubscription, { id, revoke: true }, shop.seller)
  return { shop, email, customerId }
}

/** Lets the customer store a method, and choose it for the trial. */
async function chooseMethod(orders: OrdersUnderTest, { buyer, subscription }: Subscribed): Promise<string> {
  const methodId = await storeFurtherMethod(orders, subscription.customer_id, 'ctoken_slow')
  await orders.call(updateCustomerSubscription, { id: subscription.id, payment_method_id: methodId }, buyer)
  return methodId
}

test('a trial gives access at once, for nothing, and is shown before and after the order [payments 73]', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const product = await orders.call(createProduct, plan, shop.seller)
  expect(product).toMatchObject(trial)
  const offered = await open(orders, { ...shop, product })
  const terms = { allow_trial: true, active_trial_interval: 'day', active_trial_interval_count: 14 }
  expect(offered).toMatchObject({ ...terms, total_amount: 1000, is_payment_required: false, is_payment_form_required: false })
  expect(Math.abs(Date.parse(offered.trial_end ?? '') - Date.now() - 14 * 86_400_000)).toBeLessThan(60_000)
  const { subscription, confirmed, checkoutId, seller } = await startTrial(orders, { shop })
  expect(subscription).toMatchObject({ status: 'trialing', amount: 1000, trial_start: subscription.current_period_start })
  expect(subscription.trial_end).toBe(subscription.current_period_end)
  expect(confirmed).toMatchObject({ ...terms, trial_end: subscription.trial_end })
  expect(await orders.nextEvent(subscriptionActive)).toMatchObject({ id: subscription.id, status: 'trialing' })
  expect(await orders.call(getCheckout, { id: checkoutId }, seller)).toMatchObject({
    status: 'succeeded',
    trial_end: subscription.trial_end,
  })
  expect(await findOrders(orders, shop)).toMatchObject([{ status: 'paid', total_amount: 0, billing_reason: 'subscription_create' }])
  expect(await orders.rows('select from payments')).toEqual([])
})

/** Ids of the subscriptions in the last published state of their customer. */
async function readState(orders: OrdersUnderTest, { subscription }: Pick<Subscribed, 'subscription'>): Promise<string[]> {
  const states = (await readEvents(orders, customerStateChanged.subject)).filter(
    ({ aggregate_id }) => aggregate_id === subscription.customer_id,
  )
  const active: { id: string; status: string }[] = states.at(-1)?.payload.active_subscriptions ?? []
  return active.map(({ id, status }) => `${id} ${status}`)
}

test('the state of the customer is published when a trial starts, ends and converts', async () => {
  await using orders = await startOrders()
  const [shop, other] = [await leaveStoredMethod(orders), await orders.shop()]
  const [converted, ended] = [await startTrial(orders, shop), await startTrial(orders, { shop: other })]
  for (const started of [converted, ended]) expect(await readState(orders, started)).toEqual([`${started.subscription.id} active`])
  await chooseMethod(orders, converted)
  await advance(orders, converted, after(converted.subscription.trial_end))
  await waitForSubscription(orders, converted, { status: 'active' })
  expect(await readState(orders, converted)).toEqual([`${converted.subscription.id} active`])
  const [state] = (await readEvents(orders, customerStateChanged.subject)).slice(-1)
  expect(state?.payload.active_subscriptions).toMatchObject([
    { trial_end: converted.subscription.trial_end, started_at: expect.any(String) },
  ])
  await advance(orders, ended, after(ended.subscription.trial_end))
  await waitForSubscription(orders, ended, { status: 'canceled' })
  expect(await readState(orders, ended)).toEqual([])
})

test('a trial without a payment method ends as canceled and owes nothing [payments 73]', async () => {
  await using orders = await startOrders()
  const started = await startTrial(orders)
  await advance(orders, started, after(started.subscription.trial_end))
  const ended = await waitForSubscription(orders, started, { status: 'canceled' })
  expect(ended).toMatchObject({ ended_at: started.subscription.trial_end, ends_at: started.subscription.trial_end })
  expect(await findOrders(orders, started)).toHaveLength(1)
  expect(await orders.rows('select from payments')).toEqual([])
})

test('a trial for which the buyer chose a payment method is charged once at its end [payments 73]', async () => {
  await using orders = await startOrders()
  const started = await startTrial(orders, await leaveStoredMethod(orders))
  const methodId = await chooseMethod(orders, started)
  await advance(orders, started, after(started.subscription.trial_end))
  const paid = await waitForSubscription(orders, started, { status: 'active' })
  expect(paid).toMatchObject({ current_period_start: started.subscription.trial_end, trial_end: started.subscription.trial_end })
  const [renewal, ...others] = (await findOrders(orders, started)).filter((order) => order.billing_reason === 'subscription_cycle')
  expect(others).toEqual([])
  expect(renewal).toMatchObject({ status: 'paid', net_amount: 1000 })
  expect(await orders.rows(`select payment_method_id, state from payments where initiator = 'schedule'`)).toEqual([
    { payment_method_id: methodId, state: 'succeeded' },
  ])
  await expectMoneyToAddUp(orders)
})

test('a stored method is not charged for a trial for which its owner did not choose it [payments 73]', async () => {
  await using orders = await startOrders()
  const known = await leaveStoredMethod(orders)
  // Anyone can type this address.
  const started = await startTrial(orders, known)
  expect(started.subscription.customer_id).toBe(known.customerId)
  const own = await storeFurtherMethod(orders, known.customerId, 'ctoken_slow')
  await orders.call(setDefaultCustomerPaymentMethod, { id: own }, started.buyer)
  await advance(orders, started, after(started.subscription.trial_end))
  await waitForSubscription(orders, started, { status: 'canceled' })
  expect(await orders.rows(`select from payments where initiator = 'schedule'`)).toEqual([])
})

test('a second trial of a product is not given; without one the order is paid at once [payments 73]', async () => {
  await using orders = await startOrders()
  const email = 'ada@example.com'
  const started = await startTrial(orders, { email })
  const { seller, subscription } = started
  await orders.call(updateSubscription, { id: subscription.id, revoke: true }, seller)
  const again = await open(orders, started)
  const confirmation = { client_secret: again.client_secret, customer_email: 'ADA@example.com' }
  await expect(orders.call(confirmCheckout, confirmation, anonymous)).rejects.toThrow('There was a trial of this product already')
  expect(await orders.rows('select from subscriptions')).toHaveLength(1)
  const without = { ...confirmation, allow_trial: false as const }
  await expect(orders.call(confirmCheckout, without, anonymous)).rejects.toThrow(RequestValidationError)
  await orders.call(confirmCheckout, { ...without, confirmation_token_id: 'ctoken_ok' }, anonymous)
  await eventually(async () =>
    expect(await orders.rows(`select status, trial_end from subscriptions where id <> $1`, [subscription.id])).toEqual([
      { status: 'active', trial_end: null },
    ]),
  )
  const named = await open(orders, started, { customer_id: subscription.customer_id })
  expect(named).toMatchObject({ active_trial_interval: null, trial_end: null, is_payment_required: true })
})

test('two confirmations by one customer at once give one trial [payments 73]', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  await orders.rows(
    `update organizations set document = jsonb_set(document, '{subscription_settings,allow_multiple_subscriptions}', 'true') returning 1`,
  )
  const product = await orders.call(createProduct, plan, shop.seller)
  const secrets = await Promise.all([1, 2, 3].map(async () => (await open(orders, { ...shop, product })).client_secret))
  const results = await Promise.allSettled(
    secrets.map((client_secret) => orders.call(confirmCheckout, { client_secret, customer_email: 'ada@example.com' }, anonymous)),
  )
  expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected'])
  expect(await orders.rows('select from subscriptions')).toHaveLength(1)
  await expect(orders.rows('insert into trial_redemptions select * from trial_redemptions')).rejects.toThrow('trial_redemptions_pkey')
})

test('seller and buyer can leave out a trial; a buyer cannot ask for one', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const product = await orders.call(createProduct, plan, shop.seller)
  const none = {
    allow_trial: false,
    active_trial_interval: null,
    active_trial_interval_count: null,
    trial_end: null,
    is_payment_required: true,
  }
  const { id, client_secret } = await open(orders, { ...shop, product }, { allow_trial: false })
  expect(await orders.call(getCheckout, { id }, shop.seller)).toMatchObject(none)
  const asked = { client_secret, allow_trial: true } as never
  await expect(orders.call(updateCheckoutByClient, asked, anonymous)).rejects.toThrow(RequestValidationError)
  expect(await orders.call(updateCheckout, { id, allow_trial: true }, shop.seller)).toMatchObject({
    allow_trial: true,
    is_payment_required: false,
  })
  expect(await orders.call(updateCheckoutByClient, { client_secret, allow_trial: false }, anonymous)).toMatchObject(none)
})

test('a change of product waits for the end of the trial; nothing is billed before', async () => {
  await using orders = await startOrders()
  const started = await startTrial(orders, await leaveStoredMethod(orders))
  const methodId = await chooseMethod(orders, started)
  const { id, trial_end } = started.subscription
  const larger = await createPlan(orders, started.seller, { price: 3000 })
  const count = (await findOrders(orders, started)).length
  const asked = { id, product_id: larger.id, proration_behavior: 'invoice' } as const
  const at = new Date(trial_end ?? '').toISOString()
  expect(await orders.call(previewSubscriptionChange, asked, started.seller)).toMatchObject({
    applies_at: at,
    proration_behavior: 'next_period',
    due_now: null,
    next_order: { at, net_amount: 3000 },
  })
  const planned = await orders.call(updateSubscription, asked, started.seller)
  expect(planned).toMatchObject({ product_id: started.product.id, pending_product_id: larger.id, status: 'trialing' })
  expect(await findOrders(orders, started)).toHaveLength(count)
  await advance(orders, started, after(trial_end))
  await waitForSubscription(orders, started, { status: 'active', product_id: larger.id })
  const [renewal] = await findOrders(orders, started)
  expect(renewal).toMatchObject({ billing_reason: 'subscription_cycle', net_amount: 3000 })
  expect(methodId).not.toBe('')
})

test('a trial without a payment method continues with the free product that is planned for its end', async () => {
  await using orders = await startOrders()
  const started = await startTrial(orders)
  const { id, trial_end } = started.subscription
  const free = await createPlan(orders, started.seller, { price: 0 })
  const change = { id, product_id: free.id }
  await orders.call(updateSubscription, change, started.seller)
  await advance(orders, started, after(trial_end))
  await waitForSubscription(orders, started, { status: 'active', product_id: free.id })
  expect(await orders.rows('select from payments')).toEqual([])
})

test('a discount for one period lowers the first one after the trial', async () => {
  await using orders = await startOrders()
  const known = await leaveStoredMethod(orders)
  const half = { name: 'Half', type: 'percentage' as const, basis_points: 5000, duration: 'once' as const }
  const { id: discount_id } = await orders.call(createDiscount, half, known.shop.seller)
  const started = await startTrial(orders, { ...known, discount_id })
  await chooseMethod(orders, started)
  await advance(orders, started, after(started.subscription.trial_end))
  const first = await waitForSubscription(orders, started, { status: 'active' })
  await advance(orders, started, after(first.current_period_end))
  await eventually(async () => {
    const paid = (await findOrders(orders, started)).filter(({ billing_reason }) => billing_reason === 'subscription_cycle')
    expect(paid.map(({ net_amount }) => net_amount)).toEqual([1000, 500])
  })
})

const wholePrice = { name: 'Free', type: 'percentage' as const, basis_points: 10_000, duration: 'once' as const }

test('a trial without a payment method is canceled at its end, though a discount makes the next period free', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const { id: discount_id } = await orders.call(createDiscount, wholePrice, shop.seller)
  const started = await startTrial(orders, { shop, discount_id })
  await advance(orders, started, after(started.subscription.trial_end))
  const ended = await waitForSubscription(orders, started, { status: 'canceled' })
  expect(ended).toMatchObject({ ended_at: started.subscription.trial_end })
  expect(await findOrders(orders, started)).toHaveLength(1)
})

test('a trial that is followed by a free period is published as active, before the order; a later renewal is published once', async () => {
  await using orders = await startOrders()
  const known = await leaveStoredMethod(orders)
  const { id: discount_id } = await orders.call(createDiscount, { ...wholePrice, duration: 'forever' }, known.shop.seller)
  const started = await startTrial(orders, { ...known, discount_id })
  await chooseMethod(orders, started)
  const readStatuses = async (subject: string) => (await readEvents(orders, subject)).map(({ payload }) => payload)
  const before = (await readStatuses(subscriptionUpdated.subject)).length
  await advance(orders, started, after(started.subscription.trial_end))
  const active = await waitForSubscription(orders, started, { status: 'active' })
  const updates = (await readStatuses(subscriptionUpdated.subject)).slice(before)
  expect(updates.map(({ status }) => status)).toEqual(['trialing', 'active'])
  expect(updates.at(-1)).toMatchObject({ id: active.id, current_period_end: active.current_period_end })
  const paid = (await readStatuses(orderPaid.subject)).at(-1)
  expect(paid).toMatchObject({ total_amount: 0, billing_reason: 'subscription_cycle', subscription: { status: 'active' } })
  await advance(orders, started, after(active.current_period_end))
  await waitForSubscription(orders, started, { current_period_start: active.current_period_end as string })
  expect((await readStatuses(subscriptionUpdated.subject)).length).toBe(before + 3)
})

test('a canceled trial ends at its end without an announcement; a running one is announced once, three days before', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const canceled = await startTrial(orders, { shop })
  await orders.call(updateSubscription, { id: canceled.subscription.id, cancel_at_period_end: true }, shop.seller)
  const running = await startTrial(orders, { shop })
  await advance(orders, shop, after(running.subscription.trial_end, -4))
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(await orders.rows('select from subscriptions where trial_end_announced_at is not null')).toEqual([])
  await advance(orders, shop, after(running.subscription.trial_end, -3))
  expect(await orders.nextEvent(subscriptionTrialEnding)).toMatchObject({
    id: running.subscription.id,
    status: 'trialing',
    next_total_amount: 1000,
  })
  const [marked] = await orders.rows('select trial_end_announced_at from subscriptions where trial_end_announced_at is not null')
  await advance(orders, shop, after(running.subscription.trial_end, -1))
  await advance(orders, shop, after(running.subscription.trial_end))
  await waitForSubscription(orders, canceled, { status: 'canceled' })
  expect(await orders.rows('select trial_end_announced_at from subscriptions where trial_end_announced_at is not null')).toEqual([marked])
})

test('a trial that cannot be offered is rejected and stores nothing, also in SQL', async () => {
  await using orders = await startOrders()
  const { seller } = await orders.shop()
  const invalid = [
    { trial_interval: 'day' as const, trial_interval_count: null },
    { trial_interval: null, trial_interval_count: 3 },
    { trial_interval: 'year' as const, trial_interval_count: 3 },
    { trial_interval_count: 0 },
    { recurring_interval: null },
  ]
  const before = await orders.rows('select * from products')
  for (const change of invalid) {
    await expect(orders.call(createProduct, { ...plan, ...change }, seller)).rejects.toThrow(RequestValidationError)
  }
  expect(await orders.rows('select * from products')).toEqual(before)
  const { id } = await orders.call(createProduct, plan, seller)
  await expect(orders.call(updateProduct, { id, trial_interval: null }, seller)).rejects.toThrow(RequestValidationError)
  const removed = { trial_interval: null, trial_interval_count: null }
  expect(await orders.call(updateProduct, { id, ...removed }, seller)).toMatchObject(removed)
  for (const set of [
    `trial_interval = 'day'`,
    `trial_interval = 'day', trial_interval_count = 0`,
    `trial_interval = 'hour', trial_interval_count = 1`,
  ])
    await expect(orders.rows(`update products set ${set}`)).rejects.toThrow('products_trial')
})

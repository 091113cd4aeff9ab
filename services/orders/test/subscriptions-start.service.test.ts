import { AlreadyActiveSubscriptionError, createCheckout, getCheckout } from '@quittance/contracts/checkouts'
import { createDiscount } from '@quittance/contracts/discounts'
import { getOrder, listOrders } from '@quittance/contracts/orders'
import { organizationUpdated } from '@quittance/contracts/organizations'
import { subscriptionActive, subscriptionCreated, subscriptionUpdated } from '@quittance/contracts/subscriptions'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { asThisRelease } from './money.ts'
import { buildOrganization, startOrders } from './start-orders.ts'
import { advance, after, buyPlan, replaceMethods, subscribe, waitForSubscription } from './subscribe.ts'

test('a recurring checkout creates a subscription, active once its first order is paid', async () => {
  await using orders = await startOrders()
  const { subscription, product, seller } = await subscribe(orders, { price: 1000 })
  const created = await orders.nextEvent(subscriptionCreated)
  expect(created).toMatchObject({ id: subscription.id, status: 'incomplete', started_at: null, metadata: { team: 'red' } })
  expect(subscription).toMatchObject({
    amount: 1000,
    recurring_interval: 'month',
    product: { id: product.id, is_recurring: true },
    prices: [{ id: product.prices[0]?.id, price_amount: 1000, type: 'recurring' }],
    price_id: product.prices[0]?.id,
    price: { id: product.prices[0]?.id },
    customer: { id: subscription.customer_id, name: 'Ada' },
    user_id: subscription.customer_id,
    started_at: expect.any(String),
    cancel_at_period_end: false,
    ends_at: null,
  })
  expect(await orders.nextEvent(subscriptionUpdated)).toMatchObject({ status: 'active' })
  expect(await orders.nextEvent(subscriptionActive)).toMatchObject({ id: subscription.id, status: 'active' })
  const about = orders.publishedEvents.map(({ subject }) => subject).filter((subject) => subject.startsWith('event.subscription.'))
  expect(about).toEqual(['event.subscription.created', 'event.subscription.updated', 'event.subscription.active'])
  const { items } = await orders.call(listOrders, {}, seller)
  expect(items).toMatchObject([
    {
      status: 'paid',
      billing_reason: 'subscription_create',
      total_amount: 1000,
      subscription_id: subscription.id,
      subscription: { id: subscription.id, status: 'active', price_id: product.prices[0]?.id, metadata: { team: 'red' } },
    },
  ])
})

test('the subscription is incomplete and its order pending until the first payment completes', async () => {
  await using orders = await startOrders()
  const { subscription, seller } = await buyPlan(orders, await orders.shop(), { token: 'ctoken_pending' })
  expect(subscription).toMatchObject({ status: 'incomplete', started_at: null })
  const { items } = await orders.call(listOrders, {}, seller)
  expect(items).toMatchObject([{ status: 'pending', subscription: { status: 'incomplete' } }])
})

test('subscribes to a free product at once, without a payment', async () => {
  await using orders = await startOrders()
  const { subscription, seller } = await buyPlan(orders, await orders.shop(), { price: 0 })
  expect(subscription).toMatchObject({ status: 'active', amount: 0 })
  expect(await orders.nextEvent(subscriptionActive)).toMatchObject({ id: subscription.id })
  const { items } = await orders.call(listOrders, {}, seller)
  expect(items).toMatchObject([{ status: 'paid', total_amount: 0 }])
  expect(await orders.rows('select from payments')).toHaveLength(0)
})

test('a first order that a discount makes free still requires a payment token', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const free = { name: 'First month', type: 'percentage' as const, basis_points: 10_000, duration: 'once' as const }
  const discount = await orders.call(createDiscount, free, shop.seller)
  const { subscription, product, seller } = await buyPlan(orders, shop, { discountId: discount.id })
  expect(subscription).toMatchObject({ status: 'active', amount: 0, discount: { id: discount.id } })
  const { id } = await orders.call(createCheckout, { products: [product.id], discount_id: discount.id }, seller)
  expect(await orders.call(getCheckout, { id }, seller)).toMatchObject({
    is_payment_required: false,
    is_payment_setup_required: true,
    is_payment_form_required: true,
  })
})

test('a customer has one subscription, unless the organization allows several', async () => {
  await using orders = await startOrders()
  const email = 'ada@example.com'
  const { subscription, ...shop } = await subscribe(orders, { email })
  await expect(buyPlan(orders, shop, { email })).rejects.toThrow(AlreadyActiveSubscriptionError)
  expect(await orders.rows('select from subscriptions')).toHaveLength(1)
  const { organizationId } = shop
  const several = buildOrganization(organizationId)
  several.subscription_settings.allow_multiple_subscriptions = true
  await orders.emit(organizationUpdated, several, { organizationId, aggregateId: organizationId })
  const second = await eventually(() => buyPlan(orders, shop, { email }))
  expect(second.subscription.customer_id).toBe(subscription.customer_id)
})

test('an unpaid subscription, which its buyer can still pay, counts as the one of a customer', async () => {
  await using orders = await startOrders()
  const email = 'ada@example.com'
  const shop = await subscribe(orders, { email })
  await orders.rows(`update subscriptions set status = 'unpaid', due_at = null returning id`)
  await expect(buyPlan(orders, shop, { email })).rejects.toThrow(AlreadyActiveSubscriptionError)
  expect(await orders.rows('select from subscriptions')).toHaveLength(1)
})

test('ten concurrent confirmations for one customer create one subscription', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const tries = Array.from({ length: 10 }, () => buyPlan(orders, shop, { email: 'ada@example.com', token: 'ctoken_slow' }))
  const outcomes = await Promise.allSettled(tries)
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await orders.rows('select from subscriptions')).toHaveLength(1)
})

test('publishes an order with the current state of its subscription', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders, { interval: 'year', price: 9900 })
  await waitForSubscription(orders, subscribed, { recurring_interval: 'year' })
  const { items } = await orders.call(listOrders, { product_billing_type: 'recurring' }, subscribed.seller)
  expect(await orders.call(getOrder, { id: items[0]?.id ?? '' }, subscribed.seller)).toMatchObject({
    subscription: { current_period_end: subscribed.subscription.current_period_end },
  })
  expect(Date.parse(subscribed.subscription.current_period_end ?? '') - Date.now()).toBeGreaterThan(364 * 86_400_000)
})

test('a first payment that arrives after its period pays for the period that begins that day, with its discount', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const half = { name: 'Half', type: 'percentage' as const, basis_points: 5000, duration: 'repeating' as const, duration_in_months: 2 }
  const { id: discountId } = await orders.call(createDiscount, half, shop.seller)
  const subscribed = await buyPlan(orders, shop, { token: 'ctoken_pending', discountId })
  const { current_period_end: end } = subscribed.subscription
  await advance(orders, subscribed, after(end, 15))
  await orders.rows(`update sandbox_objects set status = 'succeeded' where status = 'processing' returning 1`)
  await asThisRelease(orders, `update payments set next_check_at = now() where settled_at is null`)
  const late = await waitForSubscription(orders, subscribed, { status: 'active' })
  expect(Math.abs(Date.parse(late.current_period_start) - Date.parse(after(end, 15)))).toBeLessThan(60_000)
  const findNet = async () => (await orders.call(listOrders, {}, shop.seller)).items.map(({ net_amount }) => net_amount)
  expect(await findNet()).toEqual([500])
  await replaceMethods(orders, 'ctoken_ok')
  await advance(orders, subscribed, after(late.current_period_end))
  const second = await waitForSubscription(orders, subscribed, { current_period_start: late.current_period_end ?? '' })
  await eventually(async () => expect(await findNet()).toEqual([500, 500]))
  // A payment that is settled while the clock moves would schedule the next renewal by the time before.
  await eventually(async () => expect(await orders.rows('select from subscriptions where due_at is not null')).toHaveLength(1))
  await advance(orders, subscribed, after(second.current_period_end))
  await eventually(async () => expect(await findNet()).toEqual([1000, 500, 500]))
})

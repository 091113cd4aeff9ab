import { getCustomerSubscription } from '@quittance/contracts/customer-subscriptions'
import { createDiscount, getDiscount } from '@quittance/contracts/discounts'
import { listOrders, orderCreated, orderPaid } from '@quittance/contracts/orders'
import { listSubscriptions, subscriptionActive, subscriptionRevoked, updateSubscription } from '@quittance/contracts/subscriptions'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'
import { advance, after, buyPlan, replaceMethods, subscribe, waitForSubscription, type Subscribed } from './subscribe.ts'

async function listSubscriptionOrders(orders: OrdersUnderTest, { seller }: Pick<Subscribed, 'seller'>) {
  const { items } = await orders.call(listOrders, { limit: 100, sorting: ['created_at'] }, seller)
  return items
}

test('starts the next period at the end of one and pays its order with the stored token', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders)
  const end = subscribed.subscription.current_period_end
  await orders.nextEvent(orderCreated)
  await orders.nextEvent(orderPaid)
  await advance(orders, subscribed, after(end))
  expect(await orders.nextEvent(orderCreated)).toMatchObject({ billing_reason: 'subscription_cycle', status: 'pending', checkout_id: null })
  expect(await orders.nextEvent(orderPaid)).toMatchObject({ billing_reason: 'subscription_cycle', total_amount: 1000, billing_name: 'Ada' })
  const renewed = await waitForSubscription(orders, subscribed, { current_period_start: end ?? '' })
  expect(renewed).toMatchObject({ status: 'active', started_at: subscribed.subscription.started_at })
  expect(await listSubscriptionOrders(orders, subscribed)).toMatchObject([
    { billing_reason: 'subscription_create' },
    { metadata: { team: 'red' } },
  ])
})

test('a year has twelve monthly renewals, and a three-month discount is on three orders', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const terms = { name: 'Start', type: 'percentage' as const, basis_points: 5000, duration: 'repeating' as const, duration_in_months: 3 }
  const discount = await orders.call(createDiscount, terms, shop.seller)
  const subscribed = await buyPlan(orders, shop, { discountId: discount.id })
  const { current_period_start } = await waitForSubscription(orders, subscribed, { status: 'active' })
  expect(subscribed.subscription).toMatchObject({ amount: 500, discount_id: discount.id })
  await advance(orders, subscribed, after(current_period_start, 366))
  const paid = await eventually(async () => {
    const all = await listSubscriptionOrders(orders, subscribed)
    expect(all).toHaveLength(13)
    expect(all.every(({ status }) => status === 'paid')).toBe(true)
    return all
  })
  expect(paid.map(({ total_amount }) => total_amount)).toEqual([500, 500, 500, ...Array.from({ length: 10 }, () => 1000)])
  expect(paid.map(({ discount_id }) => discount_id !== null)).toEqual([true, true, true, ...Array.from({ length: 10 }, () => false)])
  expect(await waitForSubscription(orders, subscribed, { amount: 1000 })).toMatchObject({ status: 'active', discount: null })
  const days = await orders.rows<{ day: string }>(`select to_char(period_start, 'DD') as day from orders order by period_start`)
  expect(days).toHaveLength(13)
  expect(await orders.call(getDiscount, { id: discount.id }, shop.seller)).toMatchObject({ redemptions_count: 1 })
})

test('a discount of the most months is on the renewals too, and its customer reads the next amount', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const terms = { name: 'Always', type: 'fixed' as const, amount: 300, duration: 'repeating' as const, duration_in_months: 2_147_483_647 }
  const discount = await orders.call(createDiscount, terms, shop.seller)
  const subscribed = await buyPlan(orders, shop, { discountId: discount.id })
  const { id, current_period_end: end } = await waitForSubscription(orders, subscribed, { status: 'active' })
  expect(await orders.call(getCustomerSubscription, { id }, subscribed.buyer)).toMatchObject({ next_amount: 700 })
  await advance(orders, subscribed, after(end))
  await eventually(async () => {
    const paid = { total_amount: 700, status: 'paid' }
    expect(await listSubscriptionOrders(orders, subscribed)).toMatchObject([paid, paid])
  })
})

test('a discount for once is on the first order only, one forever on every order', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const off = { type: 'fixed' as const, amount: 300, currency: 'usd' as const }
  for (const [duration, amounts] of [
    ['once', [700, 1000]],
    ['forever', [700, 700]],
  ] as const) {
    const discount = await orders.call(createDiscount, { name: duration, ...off, duration }, shop.seller)
    const subscribed = await buyPlan(orders, shop, { discountId: discount.id })
    const { current_period_end: end } = await waitForSubscription(orders, subscribed, { status: 'active' })
    await advance(orders, subscribed, after(end))
    const { product } = subscribed
    await eventually(async () => {
      const { items } = await orders.call(listOrders, { product_id: product.id, sorting: ['created_at'] }, shop.seller)
      expect(items).toMatchObject(amounts.map((total_amount) => ({ total_amount, status: 'paid' })))
    })
  }
})

test('a declined renewal is past due and retried; a late payment makes it active again', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders, { token: 'ctoken_once' })
  await orders.nextEvent(subscriptionActive)
  await advance(orders, subscribed, after(subscribed.subscription.current_period_end))
  const late = await waitForSubscription(orders, subscribed, { status: 'past_due' })
  expect(await orders.nextEvent(subscriptionRevoked)).toMatchObject({ id: late.id, status: 'past_due', ended_at: null })
  expect((await orders.call(listSubscriptions, { active: false }, subscribed.seller)).items).toHaveLength(1)
  await replaceMethods(orders, 'ctoken_ok')
  await advance(orders, subscribed, after(late.current_period_start, 2))
  await waitForSubscription(orders, subscribed, { status: 'active' })
  expect(await orders.nextEvent(subscriptionActive)).toMatchObject({ current_period_start: late.current_period_start })
  expect(await listSubscriptionOrders(orders, subscribed)).toMatchObject([
    { status: 'paid' },
    { status: 'paid', billing_reason: 'subscription_cycle' },
  ])
  expect((await orders.rows('select status from payments order by created_at')).map(({ status }) => status)).toEqual([
    'succeeded',
    'failed',
    'succeeded',
  ])
})

test('a renewal that is never paid ends after the last attempt', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders, { token: 'ctoken_once' })
  await advance(orders, subscribed, after(subscribed.subscription.current_period_end))
  await waitForSubscription(orders, subscribed, { status: 'past_due' })
  const failed = (count: number) =>
    eventually(async () => expect(await orders.rows(`select from payments where state = 'failed'`)).toHaveLength(count))
  for (const [tries, day] of [
    [1, 2],
    [2, 6],
    [3, 12],
    [4, 20],
  ] as const) {
    await failed(tries)
    await advance(orders, subscribed, after(subscribed.subscription.current_period_end, day))
  }
  const ended = await waitForSubscription(orders, subscribed, { status: 'canceled' })
  expect(ended).toMatchObject({ ended_at: expect.any(String), ends_at: ended.ended_at })
  await failed(5)
  expect(orders.publishedEvents.filter(({ subject }) => subject === subscriptionRevoked.subject)).toHaveLength(1)
})

test('a subscription canceled for the period end ends there, without another order', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders)
  const { id, current_period_end: end } = subscribed.subscription
  await orders.call(updateSubscription, { id, cancel_at_period_end: true }, subscribed.seller)
  await advance(orders, subscribed, after(end))
  const ended = await waitForSubscription(orders, subscribed, { status: 'canceled' })
  expect(ended).toMatchObject({ ended_at: end, ends_at: end, cancel_at_period_end: true })
  expect(await orders.nextEvent(subscriptionRevoked)).toMatchObject({ id, status: 'canceled', ended_at: end })
  expect(await listSubscriptionOrders(orders, subscribed)).toHaveLength(1)
})

test('another replica completes the renewal claimed by a dead replica, once', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders)
  await orders.rows(`update subscriptions set current_period_end = now(), current_period_start = now() - interval '1 month',
    due_at = now(), leased_until = now() + interval '1 second'`)
  await orders.restart()
  await eventually(async () =>
    expect(await listSubscriptionOrders(orders, subscribed)).toMatchObject([{ status: 'paid' }, { status: 'paid' }]),
  )
  expect(await orders.rows(`select from orders where billing_reason = 'subscription_cycle'`)).toHaveLength(1)
})

test('bills a period once, even if the code tries twice', async () => {
  await using orders = await startOrders()
  const { subscription } = await subscribe(orders)
  const again = `insert into orders select gen_random_uuid(), created_at, modified_at, version, organization_id, status, 'subscription_cycle',
    currency, subtotal_amount, discount_amount, net_amount, tax_amount, total_amount, refunded_amount, refunded_tax_amount, billing_name,
    billing_address, tax_id, customer_id, product_id, discount_id, subscription_id, null, metadata, paid_at, null, null, period_start
    from orders where subscription_id = $1`
  await expect(orders.rows(again, [subscription.id])).rejects.toThrow(/orders_one_per_cycle/)
})

import { createDiscount } from '@quittance/contracts/discounts'
import { getCustomerSubscription } from '@quittance/contracts/customer-subscriptions'
import { updateCustomer } from '@quittance/contracts/customers'
import { listOrders } from '@quittance/contracts/orders'
import { subscriptionRenewalAhead } from '@quittance/contracts/subscription-announcements'
import { updateSubscription } from '@quittance/contracts/subscriptions'
import { createTaxRate } from '@quittance/contracts/taxes'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { countBlocks, recordStatements } from '@quittance/testing/record-statements'
import { copyRows } from './copy-rows.ts'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'
import { advance, after, buyPlan, createPlan, waitForSubscription } from './subscribe.ts'

const published = async (orders: OrdersUnderTest) =>
  (await orders.rows<{ n: number }>('select count(*)::int as n from subscriptions where renewal_announced_for is not null'))[0]?.n

test('a yearly renewal is announced 30 days ahead, once for each period', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const yearly = await buyPlan(orders, shop, { interval: 'year', price: 4900 })
  const { current_period_end: end } = await waitForSubscription(orders, yearly, { status: 'active' })
  await advance(orders, shop, after(end, -31))
  await advance(orders, shop, after(end, -29))
  expect(await orders.nextEvent(subscriptionRenewalAhead)).toMatchObject({
    id: yearly.subscription.id,
    current_period_end: end,
    amount: 4900,
  })
  await advance(orders, shop, after(end, -1))
  await advance(orders, shop, after(end))
  const { current_period_end: next } = await waitForSubscription(orders, yearly, { current_period_start: end ?? '' })
  await advance(orders, shop, after(next, -29))
  // The next one is that of the next period: there was no second one of the first.
  expect(await orders.nextEvent(subscriptionRenewalAhead)).toMatchObject({ current_period_end: next })
})

test('a renewal is announced with the total that its order charges, and the announcement stores no order', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const yearly = await buyPlan(orders, shop, { interval: 'year', price: 31_000 })
  const { current_period_end: end } = await waitForSubscription(orders, yearly, { status: 'active' })
  await orders.call(updateCustomer, { id: yearly.subscription.customer_id, billing_address: { country: 'DE' } }, shop.seller)
  await orders.call(createTaxRate, { country: 'DE', name: 'USt', percentage: 19 }, shop.seller)
  const upgraded = await createPlan(orders, shop.seller, { interval: 'year', price: 62_000 })
  await advance(orders, shop, after(end, -100))
  const change = { id: yearly.subscription.id, product_id: upgraded.id, proration_behavior: 'prorate' as const }
  await orders.call(updateSubscription, change, shop.seller)
  await advance(orders, shop, after(end, -29))
  const announced = await orders.nextEvent(subscriptionRenewalAhead)
  expect(announced).toMatchObject({ current_period_end: end, next_amount: 62_000 })
  // The tax, and the rest of the period at the new price.
  expect(announced.next_total_amount).toBeGreaterThan(62_000 * 1.19)
  expect(await orders.rows('select id from orders')).toHaveLength(1)
  await advance(orders, shop, after(end))
  await waitForSubscription(orders, yearly, { current_period_start: end ?? '' })
  const { items } = await orders.call(listOrders, { customer_id: yearly.subscription.customer_id }, shop.seller)
  expect(items[0]?.total_amount).toBe(announced.next_total_amount)
})

test('renewals whose announcement fails, however many, delay no other, and are announced once the fault is gone', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const first = await buyPlan(orders, shop, { interval: 'year', price: 4900 })
  const { current_period_end: end } = await waitForSubscription(orders, first, { status: 'active' })
  const second = await buyPlan(orders, shop, { interval: 'year', price: 5100 })
  await waitForSubscription(orders, second, { status: 'active' })
  await orders.rows(`create function fail() returns trigger language plpgsql as $$ begin raise exception 'not possible'; end $$`)
  // A hundred more that are due before the second.
  const changed = `jsonb_build_object('checkout_id', null)`
  await copyRows(orders, { table: 'subscriptions', id: first.subscription.id, count: 100, changed })
  await orders.rows(
    `create trigger fail before update on subscriptions for each row
     when (new.id <> '${second.subscription.id}' and new.renewal_announced_for is not null) execute function fail()`,
  )
  await advance(orders, shop, after(end, -29))
  expect(await orders.nextEvent(subscriptionRenewalAhead)).toMatchObject({ id: second.subscription.id })
  await orders.rows('drop trigger fail on subscriptions')
  await orders.rows(`select pg_notify('wake', 'announce-renewals')`)
  const announced = new Set<string>()
  for (let count = 0; count < 101; count++) announced.add((await orders.nextEvent(subscriptionRenewalAhead)).id)
  expect([announced.size, announced.has(first.subscription.id)]).toEqual([101, true])
})

test('monthly, free and cancelled subscriptions are not announced', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const cancelled = await buyPlan(orders, shop, { interval: 'year', price: 4900 })
  const { current_period_end: end } = await waitForSubscription(orders, cancelled, { status: 'active' })
  await orders.call(updateSubscription, { id: cancelled.subscription.id, cancel_at_period_end: true }, shop.seller)
  for (const terms of [{ interval: 'year', price: 0 }, { interval: 'month' }] as const) {
    await waitForSubscription(orders, await buyPlan(orders, shop, terms), { status: 'active' })
  }
  const last = await buyPlan(orders, shop, { interval: 'year', price: 5100 })
  await waitForSubscription(orders, last, { status: 'active' })
  await advance(orders, shop, after(end, -29))
  expect(await orders.nextEvent(subscriptionRenewalAhead)).toMatchObject({ id: last.subscription.id })
  expect(await published(orders)).toBe(1)
})

test('a discount that ends with the period is not in the announced amount', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const off = { type: 'percentage' as const, basis_points: 10_000, duration: 'once' as const }
  const { id: discountId } = await orders.call(createDiscount, { name: 'First year', ...off }, shop.seller)
  const yearly = await buyPlan(orders, shop, { interval: 'year', price: 4900, discountId })
  const { current_period_end: end } = await waitForSubscription(orders, yearly, { status: 'active' })
  await advance(orders, shop, after(end, -29))
  expect(await orders.nextEvent(subscriptionRenewalAhead)).toMatchObject({ id: yearly.subscription.id, amount: 0, next_amount: 4900 })
})

test('a renewal is announced with the product that is planned for it, and not if that is free', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const half = { name: 'Half', type: 'percentage' as const, basis_points: 5000, duration: 'forever' as const }
  const { id: discountId } = await orders.call(createDiscount, half, shop.seller)
  const planNext = async (price: number) => {
    const yearly = await buyPlan(orders, shop, { interval: 'year', price: 4900, discountId })
    await waitForSubscription(orders, yearly, { status: 'active' })
    const next = await createPlan(orders, shop.seller, { price })
    const change = { id: yearly.subscription.id, product_id: next.id, proration_behavior: 'next_period' as const }
    return { next, planned: await orders.call(updateSubscription, change, shop.seller) }
  }
  await planNext(0)
  const { next, planned } = await planNext(700)
  await advance(orders, shop, after(planned.current_period_end, -29))
  expect(await orders.nextEvent(subscriptionRenewalAhead)).toMatchObject({
    id: planned.id,
    amount: 2450,
    next_amount: 350,
    next_product: { id: next.id, name: next.name, currency: 'usd', recurring_interval: 'month' },
  })
  await advance(orders, shop, after(planned.current_period_end))
  await waitForSubscription(orders, { ...shop, subscription: planned }, { product_id: next.id, amount: 350 })
})

test('a planned product is announced with its price, less the discount if that applies to it', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const larger = await createPlan(orders, shop.seller, { interval: 'month', price: 9999 })
  const half = { name: 'Half', type: 'percentage', basis_points: 5000, duration: 'forever' } as const
  const everywhere = await orders.call(createDiscount, half, shop.seller)
  const first = await buyPlan(orders, shop, { interval: 'year', price: 4900, discountId: everywhere.id })
  const elsewhere = await orders.call(createDiscount, { ...half, products: [first.product.id] }, shop.seller)
  const second = await buyPlan(orders, shop, { interval: 'year', productId: first.product.id, discountId: elsewhere.id })
  const next_product = { id: larger.id, name: larger.name, currency: 'usd', recurring_interval: 'month' }
  for (const [yearly, next_amount] of [
    [first, 4999],
    [second, 9999],
  ] as const) {
    await waitForSubscription(orders, yearly, { status: 'active' })
    const planned = { id: yearly.subscription.id, product_id: larger.id, proration_behavior: 'next_period' } as const
    await orders.call(updateSubscription, planned, shop.seller)
    expect(await orders.call(getCustomerSubscription, { id: planned.id }, yearly.buyer)).toMatchObject({ amount: 2450, next_amount })
  }
  await advance(orders, shop, after(first.subscription.current_period_end, -29))
  const announced = [await orders.nextEvent(subscriptionRenewalAhead), await orders.nextEvent(subscriptionRenewalAhead)]
  expect(announced.find(({ id }) => id === first.subscription.id)).toMatchObject({ next_amount: 4999, next_product })
  expect(announced.find(({ id }) => id === second.subscription.id)).toMatchObject({ next_amount: 9999, next_product })
  await advance(orders, shop, after(second.subscription.current_period_end))
  await eventually(async () => {
    const { items } = await orders.call(listOrders, {}, shop.seller)
    const renewals = items.filter(({ billing_reason }) => billing_reason === 'subscription_cycle')
    expect(renewals.map(({ net_amount }) => net_amount).toSorted((a, b) => a - b)).toEqual([4999, 9999])
  })
})

test('the search for renewals reads neither announced ones nor, for one test clock, those of others', async () => {
  using statements = recordStatements()
  await using orders = await startOrders()
  const shop = await orders.shop()
  const yearly = await buyPlan(orders, shop, { interval: 'year', price: 4900 })
  await waitForSubscription(orders, yearly, { status: 'active' })
  await advance(orders, await orders.shop(), after(new Date().toISOString(), 200))
  for (const [days, isAnnounced] of [
    [10, true],
    [150, false],
  ] as const) {
    const changed = `jsonb_build_object('checkout_id', null, 'current_period_end', now() + interval '${days} days',
      'renewal_announced_for', ${isAnnounced ? `now() + interval '${days} days'` : 'null'})`
    await copyRows(orders, { table: 'subscriptions', id: yearly.subscription.id, count: 3000, changed })
  }
  await orders.rows('vacuum analyze subscriptions')
  const search = statements.findWithValues('s.renewal_announced_for is distinct from', 'order by s.current_period_end')
  expect(await countBlocks(orders, search)).toBeLessThan(200)
})

import { createDiscount } from '@quittance/contracts/discounts'
import { listOrders, type Order } from '@quittance/contracts/orders'
import { createProduct } from '@quittance/contracts/products'
import { createRefund, RefundAmountTooHigh } from '@quittance/contracts/refunds'
import { updateSubscription } from '@quittance/contracts/subscriptions'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'
import { advance, after, buyPlan, createPlan, subscribe, waitForSubscription, type Subscribed } from './subscribe.ts'

async function firstOrder(orders: OrdersUnderTest, { seller }: Subscribed): Promise<Order> {
  const { items } = await orders.call(listOrders, { sorting: ['created_at'] }, seller)
  return items[0] as Order
}

/** Returns the totals of all paid orders, oldest first, once there are this many. */
function totals(orders: OrdersUnderTest, { seller }: Subscribed, count: number): Promise<number[]> {
  return eventually(async () => {
    const { items } = await orders.call(listOrders, { sorting: ['created_at'] }, seller)
    expect(items).toHaveLength(count)
    expect(items.every(({ paid }) => paid)).toBe(true)
    return items.map(({ total_amount }) => total_amount)
  })
}

test('unused time of a refunded period is not credited again', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders, { price: 10_000 })
  const { subscription, seller } = subscribed
  const { id: order_id } = await firstOrder(orders, subscribed)
  await orders.call(createRefund, { order_id, reason: 'other', amount: 10_000 }, seller)
  const smaller = await createPlan(orders, seller, { price: 5000 })
  await orders.call(updateSubscription, { id: subscription.id, product_id: smaller.id }, seller)
  await advance(orders, subscribed, after(subscription.current_period_end))
  const [, renewal = 0] = await totals(orders, subscribed, 2)
  // The next month, and the time used on the smaller plan.
  expect(renewal).toBeGreaterThanOrEqual(9999)
  expect(renewal).toBeLessThanOrEqual(10_000)
})

test('a part refund leaves the rest to be credited, and a refund of credited time takes the credit back', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders, { price: 10_000 })
  const { subscription, seller } = subscribed
  const { id: order_id } = await firstOrder(orders, subscribed)
  const refund = (amount: number) => orders.call(createRefund, { order_id, reason: 'other', amount }, seller)
  await refund(4000)
  const smaller = await createPlan(orders, seller, { price: 1000 })
  await orders.call(updateSubscription, { id: subscription.id, product_id: smaller.id }, seller)
  expect(await orders.rows('select amount::int from prorations where amount < 0')).toEqual([{ amount: -6000 }])
  await expect(orders.rows('update orders set refunded_amount = 4001')).rejects.toThrow(/orders_return_at_most_paid/)
  // About 10.00 of the credit pays for the rest of the period.
  await expect(refund(5500)).rejects.toThrow(RefundAmountTooHigh)
  await refund(4500)
  await advance(orders, subscribed, after(subscription.current_period_end))
  const [, renewal = 0] = await totals(orders, subscribed, 2)
  expect(Math.abs(renewal - 500)).toBeLessThan(5)
})

test('after an upgrade everything paid can be refunded, and then nothing is credited', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders, { price: 1000 })
  const { subscription, seller } = subscribed
  const { id } = subscription
  const larger = await createPlan(orders, seller, { price: 3000 })
  await orders.call(updateSubscription, { id, product_id: larger.id, proration_behavior: 'invoice' }, seller)
  await totals(orders, subscribed, 2)
  const { items } = await orders.call(listOrders, { sorting: ['created_at'] }, seller)
  for (const { id: order_id, net_amount: amount } of items) {
    expect(await orders.call(createRefund, { order_id, reason: 'other', amount }, seller)).toMatchObject({ status: 'succeeded' })
  }
  const smaller = await createPlan(orders, seller, { price: 500 })
  await orders.call(updateSubscription, { id, product_id: smaller.id, proration_behavior: 'prorate' }, seller)
  expect(await orders.rows('select from prorations where order_id is null and amount < 0')).toEqual([])
})

test('a product in another currency removes a fixed discount, which keeps its currency', async () => {
  await using orders = await startOrders()
  const { seller, ...shop } = await orders.shop()
  const fixed = { amount_type: 'fixed' as const }
  const rupiah = { ...fixed, price_amount: 100_000, price_currency: 'idr' as const }
  const local = await orders.call(createProduct, { name: 'Local', recurring_interval: 'month', prices: [rupiah] }, seller)
  const terms = { name: 'All', type: 'fixed' as const, amount: 100_000, currency: 'idr' as const, duration: 'forever' as const }
  const discount = await orders.call(createDiscount, terms, seller)
  const bought = await buyPlan(orders, { ...shop, seller }, { productId: local.id, discountId: discount.id })
  const subscribed = { ...bought, subscription: await waitForSubscription(orders, bought, { status: 'active' }) }
  const { id, current_period_end } = subscribed.subscription
  const dollars = await createPlan(orders, seller, { price: 90_000 })
  const changed = await orders.call(updateSubscription, { id, product_id: dollars.id }, seller)
  expect(changed).toMatchObject({ currency: 'usd', amount: 90_000, discount_id: null })
  await expect(orders.rows('update subscriptions set discount_id = $1, discount_from = now()', [discount.id])).rejects.toThrow(
    /another currency/,
  )
  await advance(orders, subscribed, after(current_period_end))
  const [free, renewal = 0] = await totals(orders, subscribed, 2)
  expect(free).toBe(0)
  expect(renewal).toBeGreaterThan(90_000)
})

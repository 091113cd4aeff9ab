import { createDiscount } from '@quittance/contracts/discounts'
import { createCustomer, updateCustomer } from '@quittance/contracts/customers'
import { listOrders, type Order } from '@quittance/contracts/orders'
import { updateProduct } from '@quittance/contracts/products'
import type { ProrationBehavior } from '@quittance/contracts/subscription-changes'
import { previewSubscriptionChange, updateSubscription, type Subscription } from '@quittance/contracts/subscriptions'
import { createTaxRate } from '@quittance/contracts/taxes'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'
import { storeBySetup } from './stored-method.ts'
import {
  advance,
  advanceToMiddle,
  after,
  buyPlan,
  createPlan,
  subscribe,
  waitForSubscription,
  type Subscribed,
  type Terms,
} from './subscribe.ts'

function change(orders: OrdersUnderTest, { subscription, seller }: Subscribed, wanted: { id: string; by?: ProrationBehavior }) {
  const { id: product_id, by = 'prorate' } = wanted
  return orders.call(updateSubscription, { id: subscription.id, product_id, proration_behavior: by }, seller)
}

/** The orders of the shop, oldest first, once there are this many and all are paid. */
function paidOrders(orders: OrdersUnderTest, { seller }: Subscribed, count: number): Promise<Order[]> {
  return eventually(async () => {
    const { items } = await orders.call(listOrders, { sorting: ['created_at'] }, seller)
    expect(items).toHaveLength(count)
    expect(items.every(({ paid }) => paid)).toBe(true)
    return items
  })
}

/** Ends the period, and returns the order of the next one. */
async function renew(orders: OrdersUnderTest, subscribed: Subscribed): Promise<Order> {
  await advance(orders, subscribed, after(subscribed.subscription.current_period_end))
  return (await paidOrders(orders, subscribed, 2))[1] as Order
}

const expectAbout = (amount: number | undefined, expected: number) => expect(Math.abs((amount ?? 0) - expected)).toBeLessThanOrEqual(2)

test('a change without proration between two prorated ones credits what is charged for the period', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders, { price: 1000 })
  await advanceToMiddle(orders, subscribed)
  for (const [price, by] of [
    [3000, 'prorate'],
    [2000, 'none'],
    [2500, 'none'],
    [4000, 'prorate'],
  ] as const)
    await change(orders, subscribed, { ...(await createPlan(orders, subscribed.seller, { price })), by })
  const { items, total_amount } = await renew(orders, subscribed)
  // The next month, and half of one at 4,000 instead of 1,000.
  expectAbout(total_amount, 5500)
  expect(items.map(({ label }) => label).slice(1)).toEqual([
    'Unused time of Plan 1000',
    'Remaining time of Plan 3000',
    'Unused time of Plan 3000',
    'Remaining time of Plan 4000',
  ])
  expect(await orders.rows('select from subscriptions where period_price_id is not null')).toEqual([])
})

test('a discount that is removed from the next period on lowers both parts of a change before', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const half = { name: 'Half', type: 'percentage' as const, basis_points: 5000, duration: 'forever' as const }
  const { id: discountId } = await orders.call(createDiscount, half, shop.seller)
  const bought = await buyPlan(orders, shop, { price: 2000, discountId })
  const subscribed = { ...bought, subscription: await waitForSubscription(orders, bought, { status: 'active' }) }
  await advanceToMiddle(orders, subscribed)
  await orders.call(updateSubscription, { id: subscribed.subscription.id, discount_id: null }, shop.seller)
  expect(await change(orders, subscribed, await createPlan(orders, shop.seller, { price: 4000 }))).toMatchObject({ amount: 4000 })
  const { total_amount } = await renew(orders, subscribed)
  // The next month without it, and half of one at 2,000 instead of 1,000.
  expectAbout(total_amount, 4500)
  expect(await orders.rows('select from subscriptions where period_discount_id is not null')).toEqual([])
})

test('a replaced discount lowers a change of its period only where it applies, and the new one only later periods', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const [plan, covered, other] = [2000, 4000, 6000].map((price) => createPlan(orders, shop.seller, { price }))
  const products = [(await plan)?.id ?? '', (await covered)?.id ?? '']
  const half = { name: 'Half', type: 'percentage' as const, basis_points: 5000, duration: 'forever' as const }
  const { id: discountId } = await orders.call(createDiscount, { ...half, products }, shop.seller)
  const { id: tenth } = await orders.call(createDiscount, { ...half, name: 'Tenth', basis_points: 1000 }, shop.seller)
  const bought = await buyPlan(orders, shop, { productId: products[0] ?? '', discountId })
  const subscribed = { ...bought, subscription: await waitForSubscription(orders, bought, { status: 'active' }) }
  await advanceToMiddle(orders, subscribed)
  await orders.call(updateSubscription, { id: subscribed.subscription.id, discount_id: tenth }, shop.seller)
  for (const next of [covered, other]) await change(orders, subscribed, { id: (await next)?.id ?? '' })
  const pending = await orders.rows<{ amount: number }>('select amount::int from prorations order by created_at, id')
  for (const [index, amount] of [-500, 1000, -1000, 3000].entries()) expectAbout(pending[index]?.amount, amount)
  expectAbout((await renew(orders, subscribed)).total_amount, 5400 + 2500)
})

test.each(['invoice', 'prorate', 'none', 'next_period'] as const)(
  'a subscription moves to the new price of its product, once, with %s',
  async (by) => {
    await using orders = await startOrders()
    const subscribed = await subscribe(orders, { price: 1000 })
    const { product, subscription, seller } = subscribed
    await expect(change(orders, subscribed, { ...product, by })).rejects.toThrow(/product_id.*already has this product/)
    const prices = [{ amount_type: 'fixed' as const, price_amount: 3000 }]
    const { prices: changed } = await orders.call(updateProduct, { id: product.id, prices }, seller)
    await advanceToMiddle(orders, subscribed)
    const planned = await change(orders, subscribed, { ...product, by })
    if (by === 'next_period') expect(planned).toMatchObject({ amount: 1000, pending_product_id: product.id })
    else expect(planned).toMatchObject({ amount: 3000, price_id: changed[0]?.id })
    const count = by === 'invoice' ? 2 : 1
    const [, difference] = await paidOrders(orders, subscribed, count)
    if (by === 'invoice') expectAbout(difference?.total_amount, 1000)
    if (by !== 'next_period') await expect(change(orders, subscribed, { ...product, by })).rejects.toThrow(/already has this product/)
    await advance(orders, subscribed, after(subscription.current_period_end))
    const renewal = (await paidOrders(orders, subscribed, count + 1)).at(-1)
    expectAbout(renewal?.total_amount, by === 'prorate' ? 4000 : 3000)
  },
)

/** A free subscription of a customer with a stored payment method. */
async function subscribeFree(orders: OrdersUnderTest, terms: Terms = {}): Promise<Subscribed> {
  const shop = await orders.shop()
  const { id: customerId } = await orders.call(createCustomer, { email: 'ada@example.com', name: 'Ada' }, shop.seller)
  const subscribed = await buyPlan(orders, shop, { ...terms, price: 0, customerId, email: 'ada@example.com' })
  await storeBySetup(orders, subscribed.buyer)
  return subscribed
}

const startsAgain = (changed: Subscription, { subscription }: Subscribed) =>
  changed.current_period_start !== subscription.current_period_start

test.each(['invoice', 'prorate'] as const)(
  'a free subscription that becomes a paid one starts a period and pays it at once, with %s',
  async (by) => {
    await using orders = await startOrders()
    const subscribed = await subscribeFree(orders, { interval: 'year' })
    await advanceToMiddle(orders, subscribed)
    const paid = await createPlan(orders, subscribed.seller, { price: 9000, interval: 'year' })
    const request = { id: subscribed.subscription.id, product_id: paid.id, proration_behavior: by }
    const preview = await orders.call(previewSubscriptionChange, request, subscribed.seller)
    expect(preview.due_now).toMatchObject({ total_amount: 9000 })
    const changed = await change(orders, subscribed, { ...paid, by })
    expect(startsAgain(changed, subscribed)).toBe(true)
    expect(Date.parse(changed.current_period_end ?? '') - Date.parse(changed.current_period_start)).toBeGreaterThan(364 * 86_400_000)
    const order = (await paidOrders(orders, subscribed, 2)).at(-1)
    expect(order).toMatchObject({ billing_reason: 'subscription_update', total_amount: 9000, product_id: paid.id })
  },
)

test.each(['none', 'next_period'] as const)('a free subscription that becomes a paid one with %s pays with the next period', async (by) => {
  await using orders = await startOrders()
  const subscribed = await subscribeFree(orders)
  const paid = await createPlan(orders, subscribed.seller, { price: 9000 })
  expect(startsAgain(await change(orders, subscribed, { ...paid, by }), subscribed)).toBe(false)
  await paidOrders(orders, subscribed, 1)
  await advance(orders, subscribed, after(subscribed.subscription.current_period_end))
  await eventually(async () => {
    const { items } = await orders.call(listOrders, { product_id: paid.id }, subscribed.seller)
    expect(items).toMatchObject([{ billing_reason: 'subscription_cycle', status: 'paid', total_amount: 9000 }])
  })
})

test('a free subscription becomes a paid one only once the address is known that its tax depends on', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribeFree(orders)
  const { subscription, seller } = subscribed
  const [plan, free] = [await createPlan(orders, seller, { price: 1000 }), await createPlan(orders, seller, { price: 0 })]
  for (const state of [null, 'US-NY']) await orders.call(createTaxRate, { country: 'US', state, name: 'Sales tax', percentage: 10 }, seller)
  const rejected = async () => {
    for (const by of ['invoice', 'prorate', 'none', 'next_period'] as const)
      await expect(change(orders, subscribed, { ...plan, by })).rejects.toThrow(/product_id.*billing address/)
  }
  await rejected()
  await change(orders, subscribed, { ...free, by: 'none' })
  const setAddress = (billing_address: { country: string; state?: string }) =>
    orders.call(updateCustomer, { id: subscription.customer_id, billing_address }, seller)
  await setAddress({ country: 'US' })
  await rejected()
  await setAddress({ country: 'US', state: 'US-NY' })
  await change(orders, subscribed, { ...plan, by: 'invoice' })
  expect((await paidOrders(orders, subscribed, 2)).at(-1)).toMatchObject({ tax_amount: 100, total_amount: 1100 })
})

test('a period or a proration of the release before ends the recorded price and discount of the period', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const half = { name: 'Half', type: 'percentage' as const, basis_points: 5000, duration: 'forever' as const }
  const { id: discount } = await orders.call(createDiscount, half, shop.seller)
  await buyPlan(orders, shop, { price: 0 })
  const record = () =>
    orders.rows('update subscriptions set period_price_id = product_price_id, period_discount_id = $1 returning 1', [discount])
  const apply = async (change: string) => {
    const [row] = await orders.rows(
      `update subscriptions set ${change} returning period_price_id is not null as price, period_discount_id is not null as discount`,
    )
    return row
  }
  const other = `product_price_id = (select id from product_prices where id <> subscriptions.product_price_id limit 1)`
  await record()
  expect(await apply(other)).toEqual({ price: true, discount: true })
  expect(await apply(`${other}, period_amount = period_amount + 1`)).toEqual({ price: false, discount: true })
  await record()
  expect(await apply(`current_period_start = current_period_start + interval '1 day'`)).toEqual({ price: false, discount: false })
})

import { randomUUID } from 'node:crypto'
import { BadRequest, RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import { createDiscount } from '@quittance/contracts/discounts'
import { deleteCustomer } from '@quittance/contracts/customers'
import { listOrders } from '@quittance/contracts/orders'
import { createProduct, updateProduct } from '@quittance/contracts/products'
import {
  AlreadyCanceledSubscription,
  getSubscription,
  listSubscriptions,
  ResourceUnavailable,
  revokeSubscription,
  SubscriptionUpdatePending,
  updateSubscription,
} from '@quittance/contracts/subscriptions'
import { organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'
import { advance, after, createPlan, buyPlan, subscribe, waitForSubscription } from './subscribe.ts'

/** Returns the published subscription and state events, once all committed ones are published: at least `count` of them. */
async function waitForEvents(orders: OrdersUnderTest, count: number): Promise<string[]> {
  const about = () => orders.publishedEvents.map(({ subject }) => subject).filter((subject) => /subscription|state_changed/.test(subject))
  await eventually(async () => {
    const committed = await orders.rows(`select from outbox_messages where subject ~ 'subscription|state_changed'`)
    expect(committed.length).toBeGreaterThanOrEqual(count)
    expect(about()).toHaveLength(committed.length)
  })
  return about().map((subject) => subject.replace(/^event\.(subscription|customer)\./, ''))
}

test('publishes cancellation and withdrawal after updated, and the customer’s state last', async () => {
  await using orders = await startOrders()
  const { subscription, seller } = await subscribe(orders)
  const { id, current_period_end } = subscription
  const before = (await waitForEvents(orders, 5)).length
  const cancellation = { customer_cancellation_reason: 'too_expensive' as const, customer_cancellation_comment: 'Sorry.' }
  const canceled = await orders.call(updateSubscription, { id, cancel_at_period_end: true, ...cancellation }, seller)
  expect(canceled).toMatchObject({
    status: 'active',
    cancel_at_period_end: true,
    ends_at: current_period_end,
    ended_at: null,
    ...cancellation,
  })
  expect(canceled.canceled_at).not.toBeNull()
  const back = await orders.call(updateSubscription, { id, cancel_at_period_end: false }, seller)
  expect(back).toMatchObject({ cancel_at_period_end: false, canceled_at: null, ends_at: null, customer_cancellation_reason: null })
  const events = await waitForEvents(orders, before + 6)
  expect(events.slice(before)).toEqual(['updated', 'canceled', 'state_changed', 'updated', 'uncanceled', 'state_changed'])
})

test('an immediate revocation publishes in order, and nothing follows it', async () => {
  await using orders = await startOrders()
  const { subscription, seller } = await subscribe(orders)
  const { id } = subscription
  const before = (await waitForEvents(orders, 5)).length
  const ended = await orders.call(updateSubscription, { id, revoke: true, customer_cancellation_reason: 'unused' }, seller)
  expect(ended).toMatchObject({ status: 'canceled', ended_at: ended.ends_at, customer_cancellation_reason: 'unused' })
  expect((await waitForEvents(orders, before + 4)).slice(before)).toEqual(['updated', 'canceled', 'revoked', 'state_changed'])
  await expect(orders.call(revokeSubscription, { id }, seller)).rejects.toThrow(AlreadyCanceledSubscription)
  await expect(orders.call(updateSubscription, { id, cancel_at_period_end: true }, seller)).rejects.toThrow(AlreadyCanceledSubscription)
  await expect(orders.call(updateSubscription, { id, cancel_at_period_end: false }, seller)).rejects.toThrow(ResourceUnavailable)
  await expect(orders.call(updateSubscription, { id, discount_id: null }, seller)).rejects.toThrow(AlreadyCanceledSubscription)
})

test('DELETE also ends it, even if its end was scheduled', async () => {
  await using orders = await startOrders()
  const { subscription, seller } = await subscribe(orders)
  const { id } = subscription
  await orders.call(updateSubscription, { id, cancel_at_period_end: true }, seller)
  await expect(orders.call(updateSubscription, { id, cancel_at_period_end: true }, seller)).rejects.toThrow(AlreadyCanceledSubscription)
  expect(await orders.call(revokeSubscription, { id }, seller)).toMatchObject({ status: 'canceled', cancel_at_period_end: false })
})

test('rejects the withdrawal of a cancellation that does not exist', async () => {
  await using orders = await startOrders()
  const { subscription, seller } = await subscribe(orders)
  const rejection = orders.call(updateSubscription, { id: subscription.id, cancel_at_period_end: false }, seller)
  await expect(rejection).rejects.toThrow(BadRequest)
})

test('of several changes in one request, the first one of the contract applies', async () => {
  await using orders = await startOrders()
  const { subscription, seller } = await subscribe(orders)
  const several = { id: subscription.id, discount_id: null, cancel_at_period_end: true, revoke: true }
  expect(await orders.call(updateSubscription, several, seller)).toMatchObject({ status: 'active', cancel_at_period_end: false })
  await expect(orders.call(updateSubscription, { id: subscription.id } as never, seller)).rejects.toThrow(RequestValidationError)
})

test('prorates a larger product to the next order; a smaller one leaves a credit to use up', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders, { price: 1000 })
  const { subscription, seller } = subscribed
  const { id } = subscription
  const larger = await createPlan(orders, seller, { price: 3000 })
  const changed = await orders.call(updateSubscription, { id, product_id: larger.id, proration_behavior: 'prorate' }, seller)
  expect(changed).toMatchObject({ amount: 3000, product: { id: larger.id }, price_id: larger.prices[0]?.id })
  await advance(orders, subscribed, after(subscription.current_period_end))
  const [renewal] = await eventually(async () => {
    const { items } = await orders.call(listOrders, { product_id: larger.id }, seller)
    expect(items).toMatchObject([{ status: 'paid' }])
    return items
  })
  expect(renewal?.items).toMatchObject([
    { label: 'Plan 3000', amount: 3000, proration: false },
    { amount: -1000, proration: true },
    { amount: 3000, proration: true },
  ])
  expect(renewal).toMatchObject({ billing_reason: 'subscription_cycle', subtotal_amount: 5000 })
  const smaller = await createPlan(orders, seller, { price: 500 })
  await orders.call(updateSubscription, { id, product_id: smaller.id }, seller)
  const { current_period_end } = await waitForSubscription(orders, subscribed, { amount: 500 })
  await advance(orders, subscribed, after(current_period_end, 31))
  await eventually(async () => {
    const { items } = await orders.call(listOrders, { product_id: smaller.id, sorting: ['created_at'] }, seller)
    expect(items.map(({ total_amount }) => total_amount)).toEqual([0, 0])
    expect(items.map(({ status }) => status)).toEqual(['paid', 'paid'])
    // Each order states its price, and the credit that is left.
    for (const { items: lines } of items) {
      expect(lines[0]).toMatchObject({ label: 'Plan 500', amount: 500 })
      expect(lines.at(-1)?.label).toBe('Credit carried over to the next order')
      expect(lines.at(-1)?.amount).toBeGreaterThan(0)
      expect(lines.reduce((sum, { amount }) => sum + amount, 0)).toBe(0)
    }
  })
})

test('invoice bills the difference for the rest of the period now', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders, { price: 1000 })
  const { subscription, seller } = subscribed
  const start = Date.parse(subscription.current_period_start)
  const middle = new Date((start + Date.parse(subscription.current_period_end ?? '')) / 2).toISOString()
  await advance(orders, subscribed, middle)
  const larger = await createPlan(orders, seller, { price: 3000 })
  const { id } = subscription
  await orders.call(updateSubscription, { id, product_id: larger.id, proration_behavior: 'invoice' }, seller)
  const [difference] = await eventually(async () => {
    const { items } = await orders.call(listOrders, { product_id: larger.id }, seller)
    expect(items).toMatchObject([{ status: 'paid', billing_reason: 'subscription_update', subscription_id: id }])
    return items
  })
  expect(Math.abs((difference?.total_amount ?? 0) - 1000)).toBeLessThanOrEqual(1)
  expect(difference?.items.map(({ proration }) => proration)).toEqual([true, true])
  const unchanged = await waitForSubscription(orders, subscribed, { status: 'active' })
  expect(unchanged.current_period_end).toBe(subscription.current_period_end)
})

test('a change from months to years starts a new period now, less the rest of the month', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders, { price: 1000 })
  const { subscription, seller } = subscribed
  const yearly = await createPlan(orders, seller, { interval: 'year', price: 9000 })
  const changed = await orders.call(updateSubscription, { id: subscription.id, product_id: yearly.id }, seller)
  expect(changed).toMatchObject({ recurring_interval: 'year', amount: 9000 })
  expect(Date.parse(changed.current_period_end ?? '') - Date.parse(changed.current_period_start)).toBeGreaterThan(364 * 86_400_000)
  await eventually(async () => {
    const { items } = await orders.call(listOrders, { product_id: yearly.id }, seller)
    expect(items).toMatchObject([{ status: 'paid', billing_reason: 'subscription_update', total_amount: 8000 }])
  })
  await advance(orders, subscribed, after(changed.current_period_end))
  await waitForSubscription(orders, subscribed, { current_period_start: changed.current_period_end ?? '' })
})

test('names an unsuitable product as the invalid field; rejects a change while one is unpaid', async () => {
  await using orders = await startOrders()
  const { subscription, seller, product, ...shop } = await subscribe(orders)
  const stranger = await orders.shop()
  const price = { amount_type: 'fixed' as const, price_amount: 900 }
  const oneTime = await orders.call(createProduct, { name: 'Book', recurring_interval: null, prices: [price] }, seller)
  const archived = await createPlan(orders, seller)
  await orders.call(updateProduct, { id: archived.id, is_archived: true }, seller)
  const foreign = await createPlan(orders, stranger.seller)
  const { id } = subscription
  for (const product_id of [foreign.id, oneTime.id, archived.id, product.id]) {
    await expect(orders.call(updateSubscription, { id, product_id }, seller)).rejects.toThrow(/product_id/)
  }
  const pending = await buyPlan(orders, { ...shop, seller, product }, { token: 'ctoken_pending' })
  const wanted = { id: pending.subscription.id, product_id: product.id }
  await expect(orders.call(updateSubscription, wanted, seller)).rejects.toThrow(SubscriptionUpdatePending)
})

test('a new discount lowers the next order and is redeemed once; no discount lowers none', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders)
  const { subscription, seller } = subscribed
  const { id, current_period_end } = subscription
  const half = { name: 'Half', type: 'percentage' as const, basis_points: 5000, duration: 'once' as const }
  const discount = await orders.call(createDiscount, half, seller)
  const changed = await orders.call(updateSubscription, { id, discount_id: discount.id }, seller)
  expect(changed).toMatchObject({ amount: 500, discount: { id: discount.id, redemptions_count: 1 } })
  for (const discount_id of [discount.id, randomUUID()]) {
    await expect(orders.call(updateSubscription, { id, discount_id }, seller)).rejects.toThrow(/discount_id/)
  }
  await advance(orders, subscribed, after(current_period_end))
  await eventually(async () => {
    const { items } = await orders.call(listOrders, { sorting: ['created_at'] }, seller)
    expect(items.map(({ total_amount, status }) => [total_amount, status])).toEqual([
      [1000, 'paid'],
      [500, 'paid'],
    ])
  })
  const without = await orders.call(updateSubscription, { id, discount_id: null }, seller)
  expect(without).toMatchObject({ amount: 1000, discount: null })
})

test('deleting a customer ends their subscriptions at once', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders)
  const { subscription, seller } = subscribed
  await orders.call(deleteCustomer, { id: subscription.customer_id }, seller)
  const ended = await orders.call(getSubscription, { id: subscription.id }, seller)
  expect(ended).toMatchObject({ status: 'canceled', customer: { deleted_at: expect.any(String) } })
})

test('returns not found for a foreign subscription from every operation, and lists none', async () => {
  await using orders = await startOrders()
  const { subscription } = await subscribe(orders)
  const stranger = organizationCaller(randomUUID())
  const { id } = subscription
  await expect(orders.call(getSubscription, { id }, stranger)).rejects.toThrow(ResourceNotFound)
  await expect(orders.call(updateSubscription, { id, revoke: true }, stranger)).rejects.toThrow(ResourceNotFound)
  await expect(orders.call(revokeSubscription, { id }, stranger)).rejects.toThrow(ResourceNotFound)
  expect((await orders.call(listSubscriptions, {}, stranger)).items).toEqual([])
})

test('lists started subscriptions by every filter and in every order', async () => {
  await using orders = await startOrders()
  const first = await subscribe(orders, { price: 2000 })
  const { seller, organizationId } = first
  const second = await buyPlan(orders, first, { price: 0 })
  await buyPlan(orders, first, { token: 'ctoken_pending' })
  await orders.call(revokeSubscription, { id: second.subscription.id }, seller)
  const list = async (request: Parameters<typeof orders.call<typeof listSubscriptions>>[1]) =>
    (await orders.call(listSubscriptions, request, seller)).items.map(({ amount }) => amount)
  expect(await list({})).toEqual([0, 2000])
  expect(await list({ active: true })).toEqual([2000])
  expect(await list({ active: false })).toEqual([0])
  expect(await list({ organization_id: organizationId, customer_id: first.subscription.customer_id })).toEqual([2000])
  expect(await list({ product_id: second.product.id })).toEqual([0])
  expect(await list({ discount_id: randomUUID() })).toEqual([])
  expect(await list({ metadata: { team: ['red', 'blue'] } })).toHaveLength(2)
  expect(await list({ metadata: { team: 'blue' } })).toEqual([])
  for (const word of ['customer', 'status', 'started_at', 'current_period_end', 'amount', 'product', 'discount'] as const) {
    expect(await list({ sorting: [word, 'started_at'] })).toHaveLength(2)
  }
  expect(await list({ sorting: 'amount' })).toEqual([0, 2000])
})

import { randomUUID } from 'node:crypto'
import {
  previewCustomerSubscriptionChange,
  updateCustomerSubscription,
  UpdateSubscriptionNotAllowed,
} from '@quittance/contracts/customer-subscriptions'
import { updateCustomer } from '@quittance/contracts/customers'
import { createDiscount } from '@quittance/contracts/discounts'
import { RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import { listOrders, type Order } from '@quittance/contracts/orders'
import { organizationUpdated } from '@quittance/contracts/organizations'
import { updateProduct } from '@quittance/contracts/products'
import { createRefund } from '@quittance/contracts/refunds'
import type { PreviewedOrder, ProrationBehavior } from '@quittance/contracts/subscription-changes'
import {
  AlreadyCanceledSubscription,
  previewSubscriptionChange,
  SubscriptionUpdatePending,
  updateSubscription,
} from '@quittance/contracts/subscriptions'
import { createTaxRate, listTaxRates, updateTaxRate } from '@quittance/contracts/taxes'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { expectMoneyToAddUp } from './money.ts'
import { readTables } from './read-tables.ts'
import { buildOrganization, startOrders, type OrdersUnderTest } from './start-orders.ts'
import { advance, after, buyPlan, createPlan, subscribe, waitForSubscription, type Subscribed } from './subscribe.ts'

const behaviors: ProrationBehavior[] = ['invoice', 'prorate', 'none', 'next_period']

/** A subscription for 29.99 with a discount, a third into its period, of a shop that charges tax by now. */
async function subscribeTaxed(orders: OrdersUnderTest): Promise<Subscribed> {
  const shop = await orders.shop()
  const discount = { name: 'A seventh', type: 'percentage', basis_points: 1429, duration: 'forever' } as const
  const { id: discountId } = await orders.call(createDiscount, discount, shop.seller)
  const bought = await buyPlan(orders, shop, { price: 2999, discountId })
  await orders.call(updateCustomer, { id: bought.subscription.customer_id, billing_address: { country: 'FR' } }, shop.seller)
  const subscription = await waitForSubscription(orders, bought, { status: 'active' })
  await orders.call(createTaxRate, { country: 'FR', name: 'TVA', percentage: 5.5 }, shop.seller)
  await advance(orders, bought, after(subscription.current_period_start, 10))
  return { ...bought, subscription }
}

/** The newest orders of a subscription, newest first. */
async function findOrders(orders: OrdersUnderTest, { seller, subscription }: Subscribed): Promise<Order[]> {
  const { items } = await orders.call(listOrders, { customer_id: subscription.customer_id }, seller)
  return items
}

const amounts = ['currency', 'subtotal_amount', 'discount_amount', 'net_amount', 'tax_amount', 'total_amount'] as const

/** What a preview shows of an order. */
function toPreviewed(order: Order | undefined): Omit<PreviewedOrder, 'at'> {
  const picked = Object.fromEntries(amounts.map((name) => [name, order?.[name]])) as Omit<PreviewedOrder, 'at' | 'items'>
  const items = (order?.items ?? []).map(({ label, amount, discount_amount, tax_amount, proration }) => ({
    label,
    amount,
    discount_amount,
    tax_amount,
    proration,
  }))
  return { ...picked, items }
}

test.each(behaviors)('a preview equals what is billed, to the unit, with %s: now and by the renewal [payments 74]', async (behavior) => {
  await using orders = await startOrders()
  for (const terms of [{ price: 7777 }, { price: 1111 }, { price: 30_001, interval: 'year' }] as const) {
    const subscribed = await subscribeTaxed(orders)
    const { subscription, seller } = subscribed
    const { id } = subscription
    const plan = await createPlan(orders, seller, terms)
    const request = { id, product_id: plan.id, proration_behavior: behavior }
    const preview = await orders.call(previewSubscriptionChange, request, seller)
    const known = (await findOrders(orders, subscribed)).length
    await orders.call(updateSubscription, { ...request, previewed_at: preview.previewed_at }, seller)
    await waitForSubscription(orders, subscribed, { status: 'active' })
    const [now] = (await findOrders(orders, subscribed)).slice(0, -known)
    expect(preview.due_now && { ...preview.due_now, at: '' }).toEqual(now ? { ...toPreviewed(now), at: '' } : null)
    const orderCount = (await findOrders(orders, subscribed)).length
    await advance(orders, subscribed, after(preview.next_order.at))
    const [renewal] = await eventually(async () => {
      const found = await findOrders(orders, subscribed)
      expect(found.length).toBe(orderCount + 1)
      expect(found[0]?.status).toBe('paid')
      return found
    })
    const { at, ...next } = preview.next_order
    expect(toPreviewed(renewal)).toEqual(next)
    expect(Date.parse(renewal?.subscription?.current_period_start ?? '')).toBe(Date.parse(at))
    expect(renewal?.product_id).toBe(plan.id)
  }
  await expectMoneyToAddUp(orders)
})

test('a preview in the portal equals what the buyer is billed, and neither stores nor publishes anything [payments 74]', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribeTaxed(orders)
  const { subscription, seller, buyer, organizationId } = subscribed
  const { id } = subscription
  const plan = await createPlan(orders, seller, { price: 30_001, interval: 'year' })
  // Background work also writes: it publishes events, adds up counts and stores positions of consumers.
  await eventually(async () => expect(await orders.rows('select from outbox_messages where published_at is null')).toEqual([]))
  const stored = () => readTables(orders, `table_name not in ('list_totals', 'list_changes', 'consumer_positions')`)
  const before = await stored()
  const preview = await orders.call(previewCustomerSubscriptionChange, { id, product_id: plan.id }, buyer)
  const planned = await orders.call(
    previewCustomerSubscriptionChange,
    { id, product_id: plan.id, proration_behavior: 'next_period' },
    buyer,
  )
  expect(planned).toMatchObject({ due_now: null, applies_at: new Date(subscription.current_period_end ?? '').toISOString() })
  expect(await stored()).toBe(before)
  await orders.call(updateCustomerSubscription, { id, product_id: plan.id, previewed_at: preview.previewed_at }, buyer)
  const [billed] = await findOrders(orders, subscribed)
  expect(preview.due_now && { ...preview.due_now, at: '' }).toEqual({ ...toPreviewed(billed), at: '' })
  const strict = buildOrganization(organizationId)
  strict.subscription_settings.allow_customer_updates = false
  await orders.emit(organizationUpdated, strict, { organizationId, aggregateId: organizationId })
  await eventually(() =>
    expect(orders.call(previewCustomerSubscriptionChange, { id, product_id: plan.id }, buyer)).rejects.toThrow(
      UpdateSubscriptionNotAllowed,
    ),
  )
})

test('a change with the time of a preview is rejected once subscription or price have changed since [payments 74]', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders, { price: 1000 })
  const { id } = subscribed.subscription
  const plan = await createPlan(orders, subscribed.seller, { price: 3000 })
  const change = { id, product_id: plan.id, proration_behavior: 'invoice' } as const
  const shown = await orders.call(previewSubscriptionChange, change, subscribed.seller)
  const early = new Date(Date.parse(shown.previewed_at) - 16 * 60_000).toISOString()
  const late = new Date(Date.now() + 60_000).toISOString()
  await orders.call(updateProduct, { id: plan.id, prices: [{ amount_type: 'fixed', price_amount: 4000 }] }, subscribed.seller)
  for (const previewed_at of [shown.previewed_at, early, late])
    await expect(orders.call(updateSubscription, { ...change, previewed_at }, subscribed.seller)).rejects.toThrow(
      'Preview the change again',
    )
  const again = await orders.call(previewSubscriptionChange, change, subscribed.seller)
  await orders.call(updateSubscription, { id, discount_id: null }, subscribed.seller)
  const other = await createPlan(orders, subscribed.seller, { price: 5000 })
  await orders.call(updateSubscription, { id, product_id: other.id, proration_behavior: 'next_period' }, subscribed.seller)
  const stale = orders.call(updateSubscription, { ...change, previewed_at: again.previewed_at }, subscribed.seller)
  await expect(stale).rejects.toThrow(RequestValidationError)
  expect(await findOrders(orders, subscribed)).toHaveLength(1)
})

test('a change with the time of a preview is rejected once tax rate, address or an order has changed since', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribeTaxed(orders)
  const { subscription, seller, buyer } = subscribed
  const { id } = await createPlan(orders, seller, { price: 3000 })
  const change = { id: subscription.id, product_id: id }
  const rejectsAfter = async (work: () => Promise<unknown>) => {
    const { previewed_at } = await orders.call(previewCustomerSubscriptionChange, change, buyer)
    await work()
    const confirmed = orders.call(updateCustomerSubscription, { ...change, previewed_at }, buyer)
    await expect(confirmed).rejects.toThrow(/previewed_at.*Preview the change again/)
  }
  const [rate] = (await orders.call(listTaxRates, {}, seller)).items
  await rejectsAfter(() => orders.call(updateTaxRate, { id: rate?.id ?? '', percentage: 21 }, seller))
  await rejectsAfter(() => orders.call(createTaxRate, { country: 'DE', name: 'USt.', percentage: 19 }, seller))
  const [order] = await findOrders(orders, subscribed)
  await rejectsAfter(() => orders.call(createRefund, { order_id: order?.id ?? '', reason: 'other', amount: 100 }, seller))
  const address = { billing_address: { country: 'FR' } }
  await rejectsAfter(() => orders.call(updateCustomer, { id: subscription.customer_id, ...address }, seller))
  const { previewed_at } = await orders.call(previewCustomerSubscriptionChange, change, buyer)
  await orders.call(updateCustomerSubscription, { ...change, previewed_at }, buyer)
})

test('next_period changes product, price and benefits with the renewal only [payments 74]', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders, { price: 1000 })
  const { subscription, seller, buyer, product } = subscribed
  const { id } = subscription
  const plan = await createPlan(orders, seller, { price: 24_000, interval: 'year' })
  const request = { id, product_id: plan.id, proration_behavior: 'next_period' } as const
  const planned = await orders.call(updateCustomerSubscription, request, buyer)
  expect(planned).toMatchObject({ product_id: product.id, amount: 1000, pending_product_id: plan.id, recurring_interval: 'month' })
  expect(await findOrders(orders, subscribed)).toHaveLength(1)
  // The release before would begin the period without the change.
  const begin = `update subscriptions set current_period_start = current_period_end where id = $1`
  await expect(orders.rows(begin, [id])).rejects.toThrow('changes its product with this period')
  await advance(orders, subscribed, after(subscription.current_period_end))
  const renewed = await waitForSubscription(orders, subscribed, { product_id: plan.id, status: 'active' })
  expect(renewed).toMatchObject({ amount: 24_000, pending_product_id: null, recurring_interval: 'year' })
  expect((await findOrders(orders, subscribed)).map(({ total_amount }) => total_amount)).toEqual([24_000, 1000])
})

test('a planned change is dropped by canceling, by another change, and on request [payments 74]', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders, { price: 1000 })
  const { seller, buyer } = subscribed
  const { id } = subscribed.subscription
  const [plan, other] = [await createPlan(orders, seller, { price: 2000 }), await createPlan(orders, seller, { price: 3000 })]
  const planIt = () => orders.call(updateSubscription, { id, product_id: plan.id, proration_behavior: 'next_period' }, seller)
  const dropped = { pending_product_id: null }
  expect(await planIt()).toMatchObject({ pending_product_id: plan.id })
  expect(await orders.call(updateCustomerSubscription, { id, pending_update: null }, buyer)).toMatchObject(dropped)
  await planIt()
  expect(await orders.call(updateSubscription, { id, pending_update: null }, seller)).toMatchObject(dropped)
  await planIt()
  expect(await orders.call(updateSubscription, { id, product_id: other.id, proration_behavior: 'none' }, seller)).toMatchObject(dropped)
  await planIt()
  expect(await orders.call(updateSubscription, { id, cancel_at_period_end: true }, seller)).toMatchObject(dropped)
  for (const operation of [previewSubscriptionChange, updateSubscription])
    await expect(orders.call(operation, { id, product_id: plan.id }, seller)).rejects.toThrow(AlreadyCanceledSubscription)
  const byBuyer = orders.call(previewCustomerSubscriptionChange, { id, product_id: plan.id }, buyer)
  await expect(byBuyer).rejects.toThrow(AlreadyCanceledSubscription)
  expect(await orders.call(updateSubscription, { id, cancel_at_period_end: false }, seller)).toMatchObject(dropped)
})

test('none changes the product now and bills neither for this period nor back [payments 74]', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders, { price: 1000 })
  const { id, current_period_end } = subscribed.subscription
  const plan = await createPlan(orders, subscribed.seller, { price: 3000 })
  await orders.call(updateSubscription, { id, product_id: plan.id, proration_behavior: 'none' }, subscribed.seller)
  await advance(orders, subscribed, after(current_period_end))
  await eventually(async () => expect((await findOrders(orders, subscribed)).map(({ total_amount }) => total_amount)).toEqual([3000, 1000]))
})

test('a preview lists the credit before the charge, however often it is requested', async () => {
  await using orders = await startOrders()
  const { subscription, seller } = await subscribe(orders, { price: 1000 })
  const { id: product_id } = await createPlan(orders, seller, { price: 2000 })
  for (let count = 0; count < 10; count += 1) {
    const { next_order } = await orders.call(previewSubscriptionChange, { id: subscription.id, product_id }, seller)
    const labels = next_order.items.flatMap(({ label, proration }) => (proration ? [label] : []))
    expect(labels).toEqual([expect.stringMatching(/^Unused/), expect.stringMatching(/^Remaining/)])
  }
})

test('a preview is rejected like the change itself', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const pending = await buyPlan(orders, shop, { token: 'ctoken_pending' })
  const { buyer, subscription, seller } = pending
  const plan = await createPlan(orders, seller, { price: 2500 })
  const request = { id: subscription.id, product_id: plan.id }
  const unknown = { id: randomUUID(), product_id: plan.id }
  const none = { id: subscription.id, product_id: randomUUID() }
  for (const [operation, caller] of [
    [previewSubscriptionChange, seller],
    [previewCustomerSubscriptionChange, buyer],
  ] as const) {
    await expect(orders.call(operation, request, caller)).rejects.toThrow(SubscriptionUpdatePending)
    await expect(orders.call(operation, unknown, caller)).rejects.toThrow(ResourceNotFound)
  }
  const active = await waitForSubscription(orders, await buyPlan(orders, shop), { status: 'active' })
  await expect(orders.call(previewSubscriptionChange, { ...none, id: active.id }, seller)).rejects.toThrow(RequestValidationError)
})

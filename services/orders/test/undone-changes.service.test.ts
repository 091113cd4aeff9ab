import { createBenefit } from '@quittance/contracts/benefits'
import { PaymentError } from '@quittance/contracts/checkouts'
import { createDiscount } from '@quittance/contracts/discounts'
import { confirmOrderPayment } from '@quittance/contracts/customer-payments'
import { updateCustomerSubscription } from '@quittance/contracts/customer-subscriptions'
import { Conflict, RequestValidationError } from '@quittance/contracts/errors'
import { orderPaymentActionRequired, orderPaymentFailed, retryOrderPayment } from '@quittance/contracts/order-payments'
import { listOrders, orderUpdated, type Order } from '@quittance/contracts/orders'
import { updateProductBenefits, type Product } from '@quittance/contracts/products'
import { createRefund } from '@quittance/contracts/refunds'
import type { ProrationBehavior } from '@quittance/contracts/subscription-changes'
import {
  previewSubscriptionChange,
  revokeSubscription,
  subscriptionUpdated,
  SubscriptionUpdatePending,
  updateSubscription,
} from '@quittance/contracts/subscriptions'
import { orderVoided } from '@quittance/contracts/unpaid-invoices'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { asThisRelease, expectMoneyToAddUp } from './money.ts'
import { readEvents } from './read-events.ts'
import { readTables } from './read-tables.ts'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'
import {
  advance,
  advanceToMiddle,
  after,
  buyPlan,
  createPlan,
  declineInProgress,
  replaceMethods,
  subscribe,
  waitForSubscription,
  type Subscribed,
} from './subscribe.ts'

const termsOf = `
  select product_id, product_price_id, price_amount, amount, period_amount, recurring_interval, anchor_day, current_period_start, current_period_end,
    discount_id, discount_from, period_price_id, period_discount_id, pending_product_id, status, failed_charges, due_at from subscriptions`
const readTerms = (orders: OrdersUnderTest) => orders.rows(termsOf)

/** What was credited on orders, and what prorations have that no order has billed. */
const readCredits = async (orders: OrdersUnderTest) => ({
  orders: await orders.rows('select id, credited_amount::int from orders where voided_at is null order by created_at'),
  pending: await orders.rows<{ amount: number }>(
    'select amount::int, credited_order_id from prorations where order_id is null order by created_at, id',
  ),
})

interface Wanted {
  id: string
  by?: ProrationBehavior
}

function change(orders: OrdersUnderTest, { subscription, seller }: Subscribed, { id, by = 'invoice' }: Wanted) {
  return orders.call(updateSubscription, { id: subscription.id, product_id: id, proration_behavior: by }, seller)
}

async function listAll(orders: OrdersUnderTest, { seller }: Subscribed): Promise<Order[]> {
  return (await orders.call(listOrders, { sorting: ['created_at'] }, seller)).items
}

/** Waits until the newest order is voided. */
function waitForUndone(orders: OrdersUnderTest, subscribed: Subscribed): Promise<Order> {
  return eventually(async () => {
    const order = (await listAll(orders, subscribed)).at(-1)
    expect(order).toMatchObject({ status: 'pending', billing_reason: 'subscription_update', due_amount: 0 })
    expect(order?.voided_at).toEqual(expect.any(String))
    expect(await orders.rows('select from unpaid_changes')).toEqual([])
    return order as Order
  })
}

/** Changes to a plan for 3,000 with a payment that has no result yet. */
async function changeInProgress(orders: OrdersUnderTest, subscribed: Subscribed, price = 3000): Promise<Product> {
  await replaceMethods(orders, 'ctoken_pending')
  const plan = await createPlan(orders, subscribed.seller, { price })
  await change(orders, subscribed, plan)
  await eventually(async () => expect(await orders.rows(`select from payments where state = 'processing'`)).toHaveLength(1))
  return plan
}

async function addBenefit(orders: OrdersUnderTest, { seller }: Subscribed, product: Product): Promise<void> {
  const benefit = { type: 'custom' as const, description: product.name, properties: { note: product.name }, metadata: {} }
  const { id } = await orders.call(createBenefit, benefit, seller)
  await orders.call(updateProductBenefits, { id: product.id, benefits: [id] }, seller)
}

const listGranted = (orders: OrdersUnderTest) =>
  orders.rows('select b.description from benefit_grants g join benefits b on b.id = g.benefit_id where g.revoked_at is null')

test('a declined change restores what was paid: terms, prorations, credits and benefits, without dunning', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders, { price: 1000 })
  const [middle, large] = [
    await createPlan(orders, subscribed.seller, { price: 2000 }),
    await createPlan(orders, subscribed.seller, { price: 5000 }),
  ]
  for (const plan of [middle, large]) await addBenefit(orders, subscribed, plan)
  await advanceToMiddle(orders, subscribed)
  await change(orders, subscribed, { ...middle, by: 'prorate' })
  const [terms, credits] = [await readTerms(orders), await readCredits(orders)]
  expect(credits.pending).toHaveLength(2)
  await replaceMethods(orders, 'ctoken_insufficient_funds')
  const updates = (await readEvents(orders, subscriptionUpdated.subject)).length
  await expect(change(orders, subscribed, large)).rejects.toThrow(PaymentError)
  const { id } = await waitForUndone(orders, subscribed)
  expect(await readTerms(orders)).toEqual(terms)
  expect(await readCredits(orders)).toEqual(credits)
  expect(await listGranted(orders)).toEqual([{ description: 'Plan 2000' }])
  const [, undone] = (await readEvents(orders, subscriptionUpdated.subject)).slice(updates)
  expect(undone?.payload).toMatchObject({ status: 'active', product_id: middle.id, amount: 2000 })
  expect((await readEvents(orders, orderUpdated.subject)).at(-1)?.payload).toMatchObject({
    id,
    voided_at: expect.any(String),
    due_amount: 0,
  })
  // Neither asks for the money of a voided order, nor for a credit note without an invoice.
  for (const { subject } of [orderPaymentFailed, orderVoided]) expect(await readEvents(orders, subject)).toEqual([])
  await expect(orders.call(retryOrderPayment, { id }, subscribed.seller)).rejects.toThrow(Conflict)
  await expect(orders.call(confirmOrderPayment, { id, confirmation_token_id: 'ctoken_ok' }, subscribed.buyer)).rejects.toThrow(Conflict)
  await replaceMethods(orders, 'ctoken_ok')
  await change(orders, subscribed, large)
  await eventually(async () => expect((await listAll(orders, subscribed)).at(-1)).toMatchObject({ status: 'paid', product_id: large.id }))
  // Half a month at 5,000 instead of 1,000.
  expect(Math.abs(((await listAll(orders, subscribed)).at(-1)?.total_amount ?? 0) - 2000)).toBeLessThanOrEqual(2)
  expect(await orders.rows('select from unpaid_changes')).toEqual([])
  await expectMoneyToAddUp(orders)
})

test('a declined change to another interval restores the period, its discount and the planned product', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const half = { name: 'Half', type: 'percentage' as const, basis_points: 5000, duration: 'forever' as const }
  const { id: discountId } = await orders.call(createDiscount, half, shop.seller)
  const bought = await buyPlan(orders, shop, { price: 1000, discountId })
  const subscribed = { ...bought, subscription: await waitForSubscription(orders, bought, { status: 'active' }) }
  const planned = await createPlan(orders, subscribed.seller, { price: 2000 })
  await change(orders, subscribed, { ...planned, by: 'next_period' })
  await advanceToMiddle(orders, subscribed)
  const [terms, credits] = [await readTerms(orders), await readCredits(orders)]
  await replaceMethods(orders, 'ctoken_insufficient_funds')
  const yearly = await createPlan(orders, subscribed.seller, { price: 9000, interval: 'year' })
  await expect(change(orders, subscribed, { ...yearly, by: 'prorate' })).rejects.toThrow(PaymentError)
  await waitForUndone(orders, subscribed)
  expect(await readTerms(orders)).toEqual(terms)
  expect(await readCredits(orders)).toEqual(credits)
  await replaceMethods(orders, 'ctoken_ok')
  await advance(orders, subscribed, after(subscribed.subscription.current_period_end))
  await eventually(async () =>
    expect((await listAll(orders, subscribed)).at(-1)).toMatchObject({ status: 'paid', total_amount: 1000, product_id: planned.id }),
  )
})

test('a customer whose change is declined gets the decline as its reply, and keeps the product', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders, { price: 1000, interval: 'year' })
  const { subscription, buyer, seller } = subscribed
  const { id: product_id } = await createPlan(orders, seller, { price: 3000 })
  await replaceMethods(orders, 'ctoken_insufficient_funds')
  await expect(orders.call(updateCustomerSubscription, { id: subscription.id, product_id }, buyer)).rejects.toThrow(PaymentError)
  await waitForUndone(orders, subscribed)
  await waitForSubscription(orders, subscribed, { status: 'active', product_id: subscription.product_id })
})

test('a change without a method that can be charged is rejected, and so is its preview; nothing is written', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders, { price: 1000 })
  const { subscription, seller } = subscribed
  const [plan, yearly] = [
    await createPlan(orders, seller, { price: 3000 }),
    await createPlan(orders, seller, { price: 9000, interval: 'year' }),
  ]
  // Four declines of a method within 30 days: the others are for renewals.
  await replaceMethods(orders, 'ctoken_insufficient_funds')
  for (let count = 0; count < 4; count += 1) {
    await expect(change(orders, subscribed, plan)).rejects.toThrow(PaymentError)
  }
  await eventually(async () => expect(await orders.rows('select from outbox_messages where published_at is null')).toEqual([]))
  const stored = () => readTables(orders, `table_name not in ('list_totals', 'list_changes', 'consumer_positions')`)
  const before = await stored()
  for (const wanted of [plan, { ...yearly, by: 'none' as const }]) {
    const rejected = change(orders, subscribed, wanted)
    await expect(rejected).rejects.toThrow(RequestValidationError)
    await expect(rejected).rejects.toThrow(/product_id.*charged at once/)
    const { id: product_id } = wanted
    const request = { id: subscription.id, product_id, proration_behavior: 'invoice' as const }
    await expect(orders.call(previewSubscriptionChange, request, seller)).rejects.toThrow(/product_id.*charged at once/)
  }
  expect(await stored()).toBe(before)
  expect(await change(orders, subscribed, { ...plan, by: 'prorate' })).toMatchObject({ status: 'active', amount: 3000 })
  await replaceMethods(orders, 'ctoken_ok')
  await advance(orders, subscribed, after(subscription.current_period_end))
  await eventually(async () => expect((await listAll(orders, subscribed)).at(-1)).toMatchObject({ status: 'paid', total_amount: 5000 }))
})

test('a payment without a result is no decline: the product stays, and neither discount nor renewal overtake it', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders, { price: 1000 })
  const { subscription, seller } = subscribed
  const { id } = subscription
  const plan = await changeInProgress(orders, subscribed)
  const discount = orders.call(updateSubscription, { id, discount_id: null }, seller)
  await expect(discount).rejects.toThrow(SubscriptionUpdatePending)
  await advance(orders, subscribed, after(subscription.current_period_end))
  await eventually(async () =>
    expect(await orders.rows(`select from subscriptions where due_at > now() + interval '50 minutes'`)).toHaveLength(1),
  )
  expect(await listAll(orders, subscribed)).toHaveLength(2)
  expect(await waitForSubscription(orders, subscribed, { product_id: plan.id })).toMatchObject({ status: 'active' })
  await replaceMethods(orders, 'ctoken_ok')
  await declineInProgress(orders)
  await eventually(async () => {
    const all = await listAll(orders, subscribed)
    expect(all.map(({ voided_at }) => Boolean(voided_at))).toEqual([false, true, false])
    expect(all.at(-1)).toMatchObject({ status: 'paid', billing_reason: 'subscription_cycle', total_amount: 1000 })
  })
})

test('a renewal that waited for the payment of a change follows it', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders, { price: 1000 })
  const plan = await changeInProgress(orders, subscribed)
  await advance(orders, subscribed, after(subscribed.subscription.current_period_end))
  await eventually(async () =>
    expect(await orders.rows(`select from subscriptions where due_at > now() + interval '50 minutes'`)).toHaveLength(1),
  )
  await replaceMethods(orders, 'ctoken_ok')
  await orders.rows(`update sandbox_objects set status = 'succeeded' where status = 'processing' returning 1`)
  await asThisRelease(orders, `update payments set next_check_at = now() where state = 'processing'`)
  await eventually(async () => {
    const all = await listAll(orders, subscribed)
    expect(all.map(({ status }) => status)).toEqual(['paid', 'paid', 'paid'])
    expect(all.at(-1)).toMatchObject({ billing_reason: 'subscription_cycle', total_amount: 3000, product_id: plan.id })
  })
  expect(await orders.rows('select from unpaid_changes')).toEqual([])
})

test('a subscription that is canceled before the decline ends with the restored period', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders, { price: 1000 })
  const { subscription, seller } = subscribed
  const yearly = await createPlan(orders, seller, { price: 9000, interval: 'year' })
  await replaceMethods(orders, 'ctoken_pending')
  await change(orders, subscribed, yearly)
  await orders.call(updateSubscription, { id: subscription.id, cancel_at_period_end: true }, seller)
  await eventually(async () => expect(await orders.rows(`select from payments where state = 'processing'`)).toHaveLength(1))
  await declineInProgress(orders)
  await waitForUndone(orders, subscribed)
  const { current_period_end: end } = subscription
  await waitForSubscription(orders, subscribed, { status: 'active', cancel_at_period_end: true, ends_at: end, current_period_end: end })
  await advance(orders, subscribed, after(end))
  await waitForSubscription(orders, subscribed, { status: 'canceled', ended_at: end })
  expect(await listAll(orders, subscribed)).toHaveLength(2)
})

test('a subscription that ends before the payment of its change has a result owes only what it did before', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders, { price: 1000 })
  const { subscription, seller } = subscribed
  await advanceToMiddle(orders, subscribed)
  await change(orders, subscribed, { ...(await createPlan(orders, seller, { price: 2000 })), by: 'prorate' })
  await changeInProgress(orders, subscribed)
  await orders.call(revokeSubscription, { id: subscription.id }, seller)
  const [, voided, final] = await listAll(orders, subscribed)
  expect(voided).toMatchObject({ status: 'pending', voided_at: expect.any(String) })
  // Half a month at 2,000 instead of 1,000; its charge has no result either.
  expect(Math.abs((final?.total_amount ?? 0) - 500)).toBeLessThanOrEqual(2)
  const { orders: credited, pending } = await readCredits(orders)
  expect([Math.abs(Number(credited[0]?.['credited_amount']) - 500) <= 1, pending]).toEqual([true, []])
  await eventually(async () => expect(await orders.rows(`select from payments where is_open`)).toHaveLength(1))
  await expectMoneyToAddUp(orders)
})

test('a refund of the credited order before the decline leaves no credit that was not paid', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders, { price: 1000 })
  const { seller } = subscribed
  await advanceToMiddle(orders, subscribed)
  await changeInProgress(orders, subscribed)
  const [first] = await listAll(orders, subscribed)
  await orders.call(createRefund, { order_id: first?.id ?? '', reason: 'other', amount: 800 }, seller)
  await declineInProgress(orders)
  await waitForUndone(orders, subscribed)
  expect(await readCredits(orders)).toMatchObject({ orders: [{ credited_amount: 0 }], pending: [] })
  // Half of the month is 500, of which 200 is paid.
  await replaceMethods(orders, 'ctoken_ok')
  await change(orders, subscribed, { ...(await createPlan(orders, seller, { price: 400 })), by: 'prorate' })
  const { pending } = await readCredits(orders)
  expect(pending.map(({ amount }) => amount)).toContain(-200)
  await expectMoneyToAddUp(orders)
})

/** Ends the payment in progress: it has succeeded. */
async function succeedInProgress(orders: OrdersUnderTest, subscribed: Subscribed): Promise<void> {
  await orders.rows(`update sandbox_objects set status = 'succeeded' where status = 'processing' returning 1`)
  await asThisRelease(orders, `update payments set next_check_at = now() where state = 'processing'`)
  await eventually(async () => expect((await listAll(orders, subscribed)).at(-1)).toMatchObject({ status: 'paid' }))
}

/** Lets the order of a change wait for longer than 23 hours. */
async function waitADay(orders: OrdersUnderTest): Promise<void> {
  await orders.rows(`update unpaid_changes set created_at = now() - interval '1 day' returning 1`)
  await asThisRelease(orders, `update payments set created_at = created_at - interval '1 day' where is_open`)
}

test('a change that only the buyer can pay is open for a day: the buyer is asked, and it is undone then', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders, { price: 1000 })
  const { subscription, buyer, seller } = subscribed
  const { id: product_id } = await createPlan(orders, seller, { price: 3000 })
  await replaceMethods(orders, 'ctoken_needs_buyer_later')
  const changed = await orders.call(updateCustomerSubscription, { id: subscription.id, product_id, previewed_at: null }, buyer)
  expect(changed).toMatchObject({ status: 'active', unpaid_change_order_id: null })
  const open = await change(orders, subscribed, await createPlan(orders, seller, { price: 9000 }))
  expect(await orders.nextEvent(orderPaymentActionRequired)).toMatchObject({ id: open.unpaid_change_order_id })
  await waitADay(orders)
  await orders.restart()
  await waitForUndone(orders, subscribed)
  expect(await waitForSubscription(orders, subscribed, { product_id })).toMatchObject({ unpaid_change_order_id: null })
  const paid = await change(orders, subscribed, await createPlan(orders, seller, { price: 9500 }))
  const payment = { id: paid.unpaid_change_order_id ?? '', confirmation_token_id: 'ctoken_ok' }
  await orders.call(confirmOrderPayment, payment, buyer)
  expect(await waitForSubscription(orders, subscribed, { amount: 9500 })).toMatchObject({ unpaid_change_order_id: null })
  await expectMoneyToAddUp(orders)
})

test('a change whose payment cannot be submitted is undone after a day', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders, { price: 1000 })
  await replaceMethods(orders, 'ctoken_misconfigured')
  const { unpaid_change_order_id: id } = await change(orders, subscribed, await createPlan(orders, subscribed.seller, { price: 3000 }))
  expect(id).toEqual(expect.any(String))
  await waitADay(orders)
  await orders.restart()
  expect(await waitForUndone(orders, subscribed)).toMatchObject({ id })
  await waitForSubscription(orders, subscribed, { status: 'active', product_id: subscribed.subscription.product_id })
})

test('the end of a subscription waits for the result of a change whose time was used', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders, { price: 1000 })
  const { subscription, seller } = subscribed
  const plan = await changeInProgress(orders, subscribed)
  await orders.call(updateSubscription, { id: subscription.id, cancel_at_period_end: true }, seller)
  await advance(orders, subscribed, after(subscription.current_period_end))
  await eventually(async () =>
    expect(await orders.rows(`select from subscriptions where due_at > now() + interval '50 minutes'`)).toHaveLength(1),
  )
  expect(await waitForSubscription(orders, subscribed, { product_id: plan.id })).toMatchObject({ ended_at: null })
  await succeedInProgress(orders, subscribed)
  await waitForSubscription(orders, subscribed, { status: 'canceled', product_id: plan.id })
  expect(await orders.rows('select from refunds')).toEqual([])
})

test.each(['this release', 'the release before'])('benefits change with the payment of a change that %s records', async (release) => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders, { price: 1000 })
  const plan = await createPlan(orders, subscribed.seller, { price: 5000 })
  await addBenefit(orders, subscribed, plan)
  await replaceMethods(orders, 'ctoken_pending')
  await change(orders, subscribed, plan)
  expect(await listGranted(orders)).toEqual([])
  const [{ row: stored } = {}] = await orders.rows<{ row: object }>('select to_jsonb(u) as row from unpaid_changes u')
  // That release neither reads nor deletes the terms.
  if (release === 'the release before') await orders.rows('delete from unpaid_changes returning 1')
  await succeedInProgress(orders, subscribed)
  if (release === 'the release before') {
    expect(await listGranted(orders)).toEqual([])
    await orders.rows('insert into unpaid_changes select * from jsonb_populate_record(null::unpaid_changes, $1) returning 1', [stored])
    await orders.restart()
  }
  await eventually(async () => expect(await listGranted(orders)).toEqual([{ description: plan.name }]))
  expect(await orders.rows('select from unpaid_changes')).toEqual([])
})

test('a declined change of the release before, without stored terms, is owed as before', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders, { price: 1000 })
  const plan = await changeInProgress(orders, subscribed)
  await orders.rows('delete from unpaid_changes returning 1')
  await declineInProgress(orders)
  await waitForSubscription(orders, subscribed, { status: 'past_due', product_id: plan.id })
  expect((await listAll(orders, subscribed)).at(-1)).toMatchObject({ status: 'pending', voided_at: null })
})

import type { Caller } from '@quittance/contracts/caller'
import { updateCustomerSubscription } from '@quittance/contracts/customer-subscriptions'
import { deleteCustomer } from '@quittance/contracts/customers'
import { createRefund, RefundAmountTooHigh } from '@quittance/contracts/refunds'
import { listOrders, type Order } from '@quittance/contracts/orders'
import { revokeSubscription, updateSubscription } from '@quittance/contracts/subscriptions'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { asThisRelease } from './money.ts'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'
import { advance, after, createPlan, replaceMethods, subscribe, waitForSubscription, type Subscribed } from './subscribe.ts'

/** Waits until the seller has this many orders, all paid; returns them, oldest first. */
function waitForPaidOrders(orders: OrdersUnderTest, seller: Caller, count: number): Promise<Order[]> {
  return eventually(async () => {
    const { items } = await orders.call(listOrders, { sorting: ['created_at'] }, seller)
    expect(items.map(({ status }) => status)).toEqual(Array.from({ length: count }, () => 'paid'))
    return items
  })
}

/** Moves the subscriber from 10 to 10,000 in the portal; the difference waits for the next order. */
async function moveUp(orders: OrdersUnderTest): Promise<Subscribed> {
  const subscribed = await subscribe(orders, { price: 1000 })
  const larger = await createPlan(orders, subscribed.seller, { price: 1_000_000 })
  const { id } = subscribed.subscription
  await orders.call(updateCustomerSubscription, { id, product_id: larger.id }, subscribed.buyer)
  return subscribed
}

test('what a change of product owes is billed in a final order when the subscription ends at its period end', async () => {
  await using orders = await startOrders()
  const subscribed = await moveUp(orders)
  const { subscription, seller, buyer } = subscribed
  await orders.call(updateCustomerSubscription, { id: subscription.id, cancel_at_period_end: true }, buyer)
  await advance(orders, subscribed, after(subscription.current_period_end))
  await waitForSubscription(orders, subscribed, { status: 'canceled' })
  const [, final] = await waitForPaidOrders(orders, seller, 2)
  expect(final).toMatchObject({ billing_reason: 'subscription_update', subscription_id: subscription.id })
  expect(final?.items).toMatchObject([
    { label: 'Unused time of Plan 1000', proration: true },
    { label: 'Remaining time of Plan 1000000', proration: true },
  ])
  expect(Math.abs((final?.total_amount ?? 0) - 999_000)).toBeLessThan(2000)
  expect(await orders.rows('select from prorations where order_id is null')).toEqual([])
})

test('a revocation bills what is owed once, also by the deletion of the customer', async () => {
  await using orders = await startOrders()
  const revoked = await moveUp(orders)
  await orders.call(revokeSubscription, { id: revoked.subscription.id }, revoked.seller)
  await waitForPaidOrders(orders, revoked.seller, 2)
  const deleted = await moveUp(orders)
  await orders.call(deleteCustomer, { id: deleted.subscription.customer_id }, deleted.seller)
  await waitForPaidOrders(orders, deleted.seller, 2)
  expect(await orders.rows('select from prorations where order_id is null')).toEqual([])
})

test('a declined final order is charged again by the schedule of renewals', async () => {
  await using orders = await startOrders()
  const subscribed = await moveUp(orders)
  const { subscription, seller } = subscribed
  await replaceMethods(orders, 'ctoken_declined_later')
  await orders.call(revokeSubscription, { id: subscription.id }, seller)
  const failures = (count: number) =>
    eventually(async () => expect(await orders.rows(`select from payments where state = 'failed'`)).toHaveLength(count))
  await failures(1)
  const [row] = await eventually(async () => {
    const due = await orders.rows<{ at: Date }>(
      'select next_payment_attempt_at as at from orders where next_payment_attempt_at is not null',
    )
    expect(due).toHaveLength(1)
    return due
  })
  expect(Math.abs((row?.at.getTime() ?? 0) - Date.now() - 86_400_000)).toBeLessThan(60_000)
  await advance(orders, subscribed, after(new Date().toISOString(), 1))
  await failures(2)
  await replaceMethods(orders, 'ctoken_ok')
  await eventually(async () => expect(await orders.rows('select from orders where next_payment_attempt_at is not null')).toHaveLength(1))
  await advance(orders, subscribed, after(new Date().toISOString(), 5))
  await waitForPaidOrders(orders, seller, 2)
})

test('a renewal that was declined after the subscription was revoked is not charged again', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders, { price: 1000 })
  await replaceMethods(orders, 'ctoken_pending')
  await advance(orders, subscribed, after(subscribed.subscription.current_period_end))
  await eventually(async () => expect(await orders.rows(`select from payments where state = 'processing'`)).toHaveLength(1))
  await orders.call(revokeSubscription, { id: subscribed.subscription.id }, subscribed.seller)
  await orders.rows(`update sandbox_objects set status = 'declined' where status = 'processing' returning 1`)
  await asThisRelease(orders, `update payments set next_check_at = now() where state = 'processing'`)
  await eventually(async () => expect(await orders.rows(`select from payments where state = 'failed'`)).toHaveLength(1))
  expect(await orders.rows('select status, next_payment_attempt_at from orders order by created_at')).toEqual([
    { status: 'paid', next_payment_attempt_at: null },
    { status: 'pending', next_payment_attempt_at: null },
  ])
})

test('a canceled subscription ends with its period, also if a payment has no result, unless it is in progress at the provider', async () => {
  await using orders = await startOrders()
  const cancelWhilePaying = async (token: string) => {
    const subscribed = await subscribe(orders, { price: 1000 })
    const { id, customer_id, current_period_end } = subscribed.subscription
    await orders.rows(`update payment_methods set provider_method = $1 where customer_id = $2 returning 1`, [`pm_${token}`, customer_id])
    await advance(orders, subscribed, after(current_period_end))
    const renewal = `select from payments p join orders o on o.id = p.order_id
      where o.customer_id = $1 and p.initiator = 'schedule' and p.checks > 0`
    await eventually(async () => expect(await orders.rows(renewal, [customer_id])).toHaveLength(1))
    await asThisRelease(orders, `update payments set created_at = created_at - interval '2 days'`)
    await orders.call(updateSubscription, { id, cancel_at_period_end: true }, subscribed.seller)
    await advance(orders, subscribed, after(current_period_end, 40))
    return subscribed
  }
  const inProgress = await cancelWhilePaying('ctoken_pending')
  const stuck = await cancelWhilePaying('ctoken_misconfigured')
  await waitForSubscription(orders, stuck, { status: 'canceled' })
  await waitForSubscription(orders, inProgress, { status: 'active' })
})

test('credit left at the end bills nothing and can be refunded on the order it came from', async () => {
  await using orders = await startOrders()
  const { subscription, seller } = await subscribe(orders, { price: 10_000 })
  const { id } = subscription
  const smaller = await createPlan(orders, seller, { price: 2000 })
  await orders.call(updateSubscription, { id, product_id: smaller.id }, seller)
  const [first] = await waitForPaidOrders(orders, seller, 1)
  const refund = (amount: number) => orders.call(createRefund, { order_id: first?.id ?? '', reason: 'other', amount }, seller)
  await expect(refund(10_000)).rejects.toThrow(RefundAmountTooHigh)
  await orders.call(revokeSubscription, { id }, seller)
  expect((await orders.call(listOrders, {}, seller)).items).toHaveLength(1)
  await expect(refund(10_000)).rejects.toThrow(RefundAmountTooHigh)
  // Almost the whole period was left at the change: 100.00 − 20.00, less some seconds.
  expect(await refund(7990)).toMatchObject({ status: 'succeeded' })
  expect(await orders.rows('select from prorations where released_at is null')).toEqual([])
})

test('the database rejects that something owed is released', async () => {
  await using orders = await startOrders()
  await moveUp(orders)
  await expect(orders.rows('update prorations set released_at = now() where amount > 0')).rejects.toThrow(/are owed/)
})

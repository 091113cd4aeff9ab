import { getCustomerSubscription } from '@quittance/contracts/customer-subscriptions'
import { updatePaymentSettings } from '@quittance/contracts/payment-settings'
import { listSubscriptions, updateSubscription, type Subscription } from '@quittance/contracts/subscriptions'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { copyRows } from './copy-rows.ts'
import { readEvents } from './read-events.ts'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'
import { advance, after, replaceMethods, subscribe, waitForSubscription, type Subscribed } from './subscribe.ts'

/** Lets the renewal of a subscription be declined. */
async function fallDue(orders: OrdersUnderTest, subscribed: Subscribed, token: string): Promise<Subscription> {
  await replaceMethods(orders, token)
  await advance(orders, subscribed, after(subscribed.subscription.current_period_end))
  return waitForSubscription(orders, subscribed, { status: 'past_due' })
}

async function waitForDeclines(orders: OrdersUnderTest, count: number): Promise<void> {
  await eventually(async () => expect(await orders.rows(`select from payments where state = 'failed'`)).toHaveLength(count))
}

/** Days from the start of the period in which the payment was declined. */
function daysLate({ current_period_start: start }: Subscription, moment: string | null | undefined): number {
  return Math.round((Date.parse(moment ?? '') - Date.parse(start)) / 86_400_000)
}

test('after a decline that needs the buyer no attempt is announced, but the end that follows', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders)
  const pastDue = await fallDue(orders, subscribed, 'ctoken_needs_buyer_later')
  expect(pastDue.next_payment_attempt_at).toBeNull()
  expect(daysLate(pastDue, pastDue.ends_unpaid_at)).toBe(16)
  const shown = { next_payment_attempt_at: null, ends_unpaid_at: pastDue.ends_unpaid_at }
  const [revoked] = await readEvents(orders, 'event.subscription.revoked')
  expect(revoked?.payload).toMatchObject(shown)
  expect(await orders.call(getCustomerSubscription, { id: pastDue.id }, subscribed.buyer)).toMatchObject(shown)
  // Each attempt of the schedule fails without a charge.
  for (const days of [1.1, 4.2, 9.3]) {
    await advance(orders, subscribed, after(pastDue.current_period_start, days))
    await eventually(async () => expect(await orders.rows('select from subscriptions where due_at > now()')).toHaveLength(1))
  }
  await advance(orders, subscribed, after(pastDue.current_period_start, 16.4))
  const ended = await waitForSubscription(orders, subscribed, { status: 'canceled' })
  expect(ended).toMatchObject({ next_payment_attempt_at: null, ends_unpaid_at: null })
  expect(await orders.rows(`select from payments where state = 'failed'`)).toHaveLength(1)
})

test('after a decline that may pass, the next attempt is announced by the clock of the organization', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders)
  const pastDue = await fallDue(orders, subscribed, 'ctoken_insufficient_funds')
  expect(daysLate(pastDue, pastDue.next_payment_attempt_at)).toBe(1)
  expect(daysLate(pastDue, pastDue.ends_unpaid_at)).toBe(16)
  const [revoked] = await readEvents(orders, 'event.subscription.revoked')
  expect(revoked?.payload).toMatchObject({ next_payment_attempt_at: pastDue.next_payment_attempt_at })
  await advance(orders, subscribed, after(pastDue.next_payment_attempt_at ?? null))
  await waitForDeclines(orders, 2)
  const again = await waitForSubscription(orders, subscribed, { status: 'past_due' })
  expect(daysLate(again, again.next_payment_attempt_at)).toBe(4)
  const { items } = await orders.call(listSubscriptions, {}, subscribed.seller)
  expect(items).toMatchObject([{ next_payment_attempt_at: again.next_payment_attempt_at }])
})

test('a method with as many declines as are tried is announced no more', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders)
  const pastDue = await fallDue(orders, subscribed, 'ctoken_insufficient_funds')
  const changed = `jsonb_build_object('provider_payment', gen_random_uuid())`
  const [{ id } = { id: '' }] = await orders.rows<{ id: string }>(`select id from payments where state = 'failed'`)
  await copyRows(orders, { table: 'payments', id, count: 9, changed })
  const { next_payment_attempt_at: next } = await waitForSubscription(orders, subscribed, { status: 'past_due' })
  expect([daysLate(pastDue, pastDue.next_payment_attempt_at), next]).toEqual([1, null])
})

test('a seller who lets subscriptions stay unpaid announces no end, except the one of a cancellation', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders)
  await orders.call(updatePaymentSettings, { after_last_try: 'unpaid', retry_after_days: [14, 14, 14] }, subscribed.seller)
  const { id, ends_unpaid_at: end } = await fallDue(orders, subscribed, 'ctoken_insufficient_funds')
  expect(end).toBeNull()
  const canceled = await orders.call(updateSubscription, { id, cancel_at_period_end: true }, subscribed.seller)
  expect(canceled.ends_unpaid_at).toBe(canceled.current_period_end)
  expect(daysLate(canceled, canceled.next_payment_attempt_at)).toBe(14)
})

test('no attempt is announced that the end of a canceled subscription comes before', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders)
  await orders.call(updatePaymentSettings, { retry_after_days: [14, 14, 14] }, subscribed.seller)
  const { id, current_period_start: start } = await fallDue(orders, subscribed, 'ctoken_insufficient_funds')
  await orders.call(updateSubscription, { id, cancel_at_period_end: true }, subscribed.seller)
  await advance(orders, subscribed, after(start, 14.1))
  await waitForDeclines(orders, 2)
  await advance(orders, subscribed, after(start, 28.2))
  await waitForDeclines(orders, 3)
  const last = await waitForSubscription(orders, subscribed, { status: 'past_due', next_payment_attempt_at: null })
  expect(last.ends_unpaid_at).toBe(last.current_period_end)
})

test('the next charge of a token that release 0.1.0 stored is announced', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders)
  await orders.rows(`update subscriptions set payment_token = 'ctoken_declined_later', payment_method_id = null returning 1`)
  await orders.rows(`update payment_methods set status = 'detached', is_default = false returning 1`)
  await advance(orders, subscribed, after(subscribed.subscription.current_period_end))
  const pastDue = await waitForSubscription(orders, subscribed, { status: 'past_due', is_paid_by_transfer: false })
  expect(daysLate(pastDue, pastDue.next_payment_attempt_at)).toBe(1)
  await advance(orders, subscribed, after(pastDue.next_payment_attempt_at ?? null))
  await waitForDeclines(orders, 2)
})

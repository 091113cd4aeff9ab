import { randomUUID } from 'node:crypto'
import { PaymentError } from '@quittance/contracts/checkouts'
import { createDiscount } from '@quittance/contracts/discounts'
import { confirmOrderPayment } from '@quittance/contracts/customer-payments'
import { cancelCustomerSubscription, updateCustomerSubscription } from '@quittance/contracts/customer-subscriptions'
import { setDefaultCustomerPaymentMethod } from '@quittance/contracts/customer-payment-methods'
import { RequestValidationError, ServiceUnavailable } from '@quittance/contracts/errors'
import { listOrders } from '@quittance/contracts/orders'
import { getPaymentSettings, updatePaymentSettings } from '@quittance/contracts/payment-settings'
import { getSubscription, updateSubscription, type Subscription } from '@quittance/contracts/subscriptions'
import { organizationCaller, userCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { expectMoneyToAddUp } from './money.ts'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'
import { storeFurtherMethod } from './stored-method.ts'
import {
  advance,
  after,
  createPlan,
  expectCurrentPeriod,
  declineInProgress,
  replaceMethods,
  subscribe,
  waitForSubscription,
  type Subscribed,
} from './subscribe.ts'

const dayMs = 86_400_000

const countFailures = async (orders: OrdersUnderTest) => (await orders.rows(`select from payments where state = 'failed'`)).length

/** Days from the clock of the organization to the next attempt, rounded; null without one. */
async function readWait(orders: OrdersUnderTest, { subscription }: Pick<Subscribed, 'subscription'>): Promise<number | null> {
  const [row] = await orders.rows<{ days: number | null }>(
    'select round(extract(epoch from due_at - now()) / 86400)::int as days from subscriptions where id = $1',
    [subscription.id],
  )
  return row?.days ?? null
}

/** Lets the renewal and every scheduled attempt be declined. Returns the waits between them, and the status after the last. */
async function declineAll(orders: OrdersUnderTest, subscribed: Subscribed): Promise<{ waits: number[]; status: string }> {
  await replaceMethods(orders, 'ctoken_insufficient_funds')
  const waits: number[] = []
  let next = Date.parse(after(subscribed.subscription.current_period_end))
  await advance(orders, subscribed, new Date(next).toISOString())
  for (let declined = 1; ; declined += 1) {
    await eventually(async () =>
      expect(await orders.rows('select failed_charges from subscriptions where id = $1', [subscribed.subscription.id])).toEqual([
        { failed_charges: declined },
      ]),
    )
    const wait = await readWait(orders, subscribed)
    if (wait === null) break
    // Nothing is tried before its time.
    expect(await countFailures(orders)).toBe(declined)
    waits.push(wait)
    next += wait * dayMs + 60_000
    await advance(orders, subscribed, new Date(next).toISOString())
  }
  expect(await countFailures(orders)).toBe(waits.length + 1)
  const [row] = await orders.rows<{ status: string }>('select status from subscriptions where id = $1', [subscribed.subscription.id])
  return { waits, status: row?.status ?? '' }
}

async function findRenewal(orders: OrdersUnderTest, { seller }: Pick<Subscribed, 'seller'>) {
  const { items } = await orders.call(listOrders, {}, seller)
  return items.filter((order) => order.billing_reason === 'subscription_cycle')
}

test('soft declines are tried after 1, 3, 5 and 7 days and then end the subscription [payments 68]', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders)
  const settings = { organization_id: subscribed.organizationId, retry_after_days: [1, 3, 5, 7], after_last_try: 'canceled' }
  expect(await orders.call(getPaymentSettings, {}, subscribed.seller)).toEqual(settings)
  expect(await declineAll(orders, subscribed)).toEqual({ waits: [1, 3, 5, 7], status: 'canceled' })
  await expectMoneyToAddUp(orders)
})

test('soft declines follow the schedule of the seller and then leave the subscription unpaid [payments 68]', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders)
  const change = { retry_after_days: [2, 4], after_last_try: 'unpaid' as const }
  const settings = { organization_id: subscribed.organizationId, ...change }
  expect(await orders.call(updatePaymentSettings, change, subscribed.seller)).toEqual(settings)
  expect(await orders.call(getPaymentSettings, {}, subscribed.seller)).toEqual(settings)
  expect(await declineAll(orders, subscribed)).toEqual({ waits: [2, 4], status: 'unpaid' })
})

test('a subscription that ends with its period is canceled by the last try, not unpaid', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders)
  await orders.call(updatePaymentSettings, { retry_after_days: [1], after_last_try: 'unpaid' }, subscribed.seller)
  await replaceMethods(orders, 'ctoken_insufficient_funds')
  await advance(orders, subscribed, after(subscribed.subscription.current_period_end))
  const late = await waitForSubscription(orders, subscribed, { status: 'past_due' })
  await orders.call(updateSubscription, { id: late.id, cancel_at_period_end: true }, subscribed.seller)
  await advance(orders, subscribed, after(late.current_period_start, 2))
  await waitForSubscription(orders, subscribed, { status: 'canceled' })
})

const unpaidAfterOne = { retry_after_days: [1], after_last_try: 'unpaid' as const }

/** Returns a subscription that was declined until it was unpaid, these days after its period ended. */
async function leaveUnpaid(orders: OrdersUnderTest, days = 180): Promise<Subscribed> {
  const subscribed = await subscribe(orders)
  await orders.call(updatePaymentSettings, unpaidAfterOne, subscribed.seller)
  await declineAll(orders, subscribed)
  await advance(orders, subscribed, after(subscribed.subscription.current_period_end, days))
  return subscribed
}

/** The seller halves the next order. */
async function giveDiscount(orders: OrdersUnderTest, { subscription: { id }, seller }: Subscribed): Promise<void> {
  const half = { name: 'Half', type: 'percentage', basis_points: 5000, duration: 'once' } as const
  const { id: discount_id } = await orders.call(createDiscount, half, seller)
  await orders.call(updateSubscription, { id, discount_id }, seller)
}

test('an unpaid subscription is not billed; once paid, its period begins that day [payments 72]', async () => {
  await using orders = await startOrders()
  const subscribed = await leaveUnpaid(orders)
  const [renewal, ...others] = await findRenewal(orders, subscribed)
  expect(others).toEqual([])
  expect(await readWait(orders, subscribed)).toBeNull()
  const pay = { id: renewal?.id ?? '', confirmation_token_id: 'ctoken_ok' }
  await orders.call(confirmOrderPayment, pay, subscribed.buyer)
  const paid = await waitForSubscription(orders, subscribed, { status: 'active' })
  const begun = Date.parse(paid.current_period_start)
  expect(Math.abs(begun - Date.parse(after(subscribed.subscription.current_period_end, 180)))).toBeLessThan(60_000)
  expect(await findRenewal(orders, subscribed)).toMatchObject([{ id: renewal?.id, status: 'paid' }])
  await expectCurrentPeriod(orders, renewal?.id, paid)
  await advance(orders, subscribed, after(paid.current_period_end))
  await eventually(async () => expect(await findRenewal(orders, subscribed)).toHaveLength(2))
  await waitForSubscription(orders, subscribed, { status: 'active', current_period_start: paid.current_period_end as string })
  await expectMoneyToAddUp(orders)
})

// The declined period has ended, or not.
test.each([180, 5])('a discount that an unpaid subscription gets lowers its next order, if it is paid after %i days', async (days) => {
  await using orders = await startOrders()
  const subscribed = await leaveUnpaid(orders, days)
  await giveDiscount(orders, subscribed)
  const [renewal] = await findRenewal(orders, subscribed)
  await orders.call(confirmOrderPayment, { id: renewal?.id ?? '', confirmation_token_id: 'ctoken_ok' }, subscribed.buyer)
  const paid = await waitForSubscription(orders, subscribed, { status: 'active' })
  await advance(orders, subscribed, after(paid.current_period_end))
  await eventually(async () => {
    const others = (await findRenewal(orders, subscribed)).filter(({ id }) => id !== renewal?.id)
    expect(others).toMatchObject([{ net_amount: 500, discount_amount: 500 }])
  })
  await expectMoneyToAddUp(orders)
})

test('a cancelled subscription whose payment failed ends with its period, not at a later attempt', async () => {
  await using orders = await startOrders()
  const [first, second] = [await subscribe(orders), await subscribe(orders)]
  for (const { seller } of [first, second]) {
    await orders.call(updatePaymentSettings, { retry_after_days: [14, 14, 14], after_last_try: 'canceled' }, seller)
  }
  await replaceMethods(orders, 'ctoken_insufficient_funds')
  const cancel = ({ subscription: { id }, seller }: Subscribed) =>
    orders.call(updateSubscription, { id, cancel_at_period_end: true }, seller)
  const decline = async (subscribed: Subscribed, failures: number, at: string) => {
    await advance(orders, subscribed, at)
    const failed = `select from subscriptions where id = $1 and failed_charges = ${failures}`
    await eventually(async () => expect(await orders.rows(failed, [subscribed.subscription.id])).toHaveLength(1))
  }
  for (const [subscribed, isEarly] of [
    [first, true],
    [second, false],
  ] as const) {
    const start = subscribed.subscription.current_period_end
    await decline(subscribed, 1, after(start))
    if (isEarly) await cancel(subscribed)
    await decline(subscribed, 2, after(start, 15))
    await decline(subscribed, 3, after(start, 29.2))
    if (!isEarly) await cancel(subscribed)
    const { ends_at } = await orders.call(getSubscription, { id: subscribed.subscription.id }, subscribed.seller)
    await advance(orders, subscribed, after(ends_at))
    await waitForSubscription(orders, subscribed, { status: 'canceled', ended_at: ends_at })
  }
})

test('a cancellation that is withdrawn after a failed payment leaves the next attempt to the schedule', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders)
  const { subscription, seller, buyer } = subscribed
  await orders.call(updatePaymentSettings, { retry_after_days: [14, 14, 14] }, seller)
  await replaceMethods(orders, 'ctoken_insufficient_funds')
  for (const [count, days] of [0, 15, 29.2].entries()) {
    await advance(orders, subscribed, after(subscription.current_period_end, days))
    await eventually(async () => expect(await countFailures(orders)).toBe(count + 1))
    await eventually(async () => expect(await readWait(orders, subscribed)).toBe(14))
  }
  const { id } = subscription
  for (const withdraw of [
    () => orders.call(updateSubscription, { id, cancel_at_period_end: false }, seller),
    () => orders.call(updateCustomerSubscription, { id, cancel_at_period_end: false }, buyer),
  ]) {
    await orders.call(updateSubscription, { id, cancel_at_period_end: true }, seller)
    expect(await readWait(orders, subscribed)).toBeLessThan(3)
    await withdraw()
    expect(await readWait(orders, subscribed)).toBe(14)
  }
  const notBefore = `update payments set retry_not_before = now() + interval '20 days' where state = 'failed' returning 1`
  await orders.rows(notBefore)
  await orders.call(updateSubscription, { id, cancel_at_period_end: true }, seller)
  await orders.call(updateSubscription, { id, cancel_at_period_end: false }, seller)
  expect(await readWait(orders, subscribed)).toBe(20)
})

test('an unpaid subscription ends when the seller or the buyer cancels it', async () => {
  await using orders = await startOrders()
  const subscribed = [await subscribe(orders), await subscribe(orders), await subscribe(orders)] as const
  await orders.rows(`update subscriptions set status = 'unpaid', due_at = null returning id`)
  const [first, second, third] = subscribed
  const change = { cancel_at_period_end: true } as const
  await orders.call(updateSubscription, { id: first.subscription.id, ...change }, first.seller)
  const details = { ...change, cancellation_reason: 'unused' as const }
  const ended = await orders.call(updateCustomerSubscription, { id: second.subscription.id, ...details }, second.buyer)
  expect(ended).toMatchObject({ status: 'canceled', cancel_at_period_end: false, customer_cancellation_reason: 'unused' })
  await orders.call(cancelCustomerSubscription, { id: third.subscription.id }, third.buyer)
  for (const each of subscribed) await waitForSubscription(orders, each, { status: 'canceled' })
})

test('an unpaid change of the release before that is paid later does not pay for a period [payments 72]', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders)
  const { subscription, seller } = subscribed
  await orders.call(updatePaymentSettings, unpaidAfterOne, seller)
  await replaceMethods(orders, 'ctoken_pending')
  const larger = await createPlan(orders, seller, { price: 3000 })
  await orders.call(updateSubscription, { id: subscription.id, product_id: larger.id, proration_behavior: 'invoice' }, seller)
  await eventually(async () => expect(await orders.rows(`select from payments where state = 'processing'`)).toHaveLength(1))
  // That release stores no terms to restore.
  await orders.rows('delete from unpaid_changes returning 1')
  await replaceMethods(orders, 'ctoken_insufficient_funds')
  await declineInProgress(orders)
  await waitForSubscription(orders, subscribed, { status: 'past_due' })
  await advance(orders, subscribed, after(subscription.current_period_start, 2))
  await waitForSubscription(orders, subscribed, { status: 'unpaid' })
  await giveDiscount(orders, subscribed)
  await advance(orders, subscribed, after(subscription.current_period_end, 10))
  const difference = (await orders.call(listOrders, {}, seller)).items.find(({ status }) => status === 'pending')
  await orders.call(confirmOrderPayment, { id: difference?.id ?? '', confirmation_token_id: 'ctoken_ok' }, subscribed.buyer)
  const begun = await eventually(async () => {
    const [order] = await findRenewal(orders, subscribed)
    expect(order).toMatchObject({ status: 'paid', subtotal_amount: 3000, discount_amount: 1500, net_amount: 1500 })
    return waitForSubscription(orders, subscribed, { status: 'active' })
  })
  // The next period was billed for the day of the payment, not for the days before.
  expect(Math.abs(Date.parse(begun.current_period_start) - Date.parse(after(subscription.current_period_end, 10)))).toBeLessThan(60_000)
  await expectMoneyToAddUp(orders)
})

/** Lets the renewal be declined finally. Returns the subscription and when the next attempt is due. */
async function declineFinally(orders: OrdersUnderTest, subscribed: Subscribed): Promise<{ late: Subscription; due: unknown }> {
  await replaceMethods(orders, 'ctoken_expired')
  await advance(orders, subscribed, after(subscribed.subscription.current_period_end))
  const late = await waitForSubscription(orders, subscribed, { status: 'past_due' })
  const [row] = await orders.rows<{ due_at: unknown }>('select due_at from subscriptions where id = $1', [late.id])
  return { late, due: row?.due_at }
}

test('a new default method is tried at once after a hard decline, beside the schedule [payments 69]', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders)
  const { late, due } = await declineFinally(orders, subscribed)
  const poor = await storeFurtherMethod(orders, late.customer_id, 'ctoken_insufficient_funds')
  await orders.call(setDefaultCustomerPaymentMethod, { id: poor }, subscribed.buyer)
  await eventually(async () => expect(await countFailures(orders)).toBe(2))
  // The declined attempt neither used up nor moved the schedule.
  expect(await orders.rows('select failed_charges, due_at from subscriptions')).toEqual([{ failed_charges: 1, due_at: due }])
  const good = await storeFurtherMethod(orders, late.customer_id, 'ctoken_ok')
  await orders.call(setDefaultCustomerPaymentMethod, { id: good }, subscribed.buyer)
  await waitForSubscription(orders, subscribed, { status: 'active' })
  const used = await orders.rows(`select payment_method_id, initiator from payments where initiator <> 'buyer' order by created_at`)
  expect(used.map(({ initiator }) => initiator)).toEqual(['schedule', 'method_updated', 'method_updated'])
  expect(used.at(-1)).toMatchObject({ payment_method_id: good })
  await expectMoneyToAddUp(orders)
})

test('a method that was declined ten times within 30 days of the clock is not tried by the schedule', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders)
  await orders.call(updatePaymentSettings, { retry_after_days: [14, 14, 14] }, subscribed.seller)
  await replaceMethods(orders, 'ctoken_insufficient_funds')
  await advance(orders, subscribed, after(subscribed.subscription.current_period_end))
  const late = await waitForSubscription(orders, subscribed, { status: 'past_due' })
  const [renewal] = await findRenewal(orders, subscribed)
  const [method] = await orders.rows<{ id: string }>('select id from payment_methods')
  const pay = { id: renewal?.id ?? '', payment_method_id: method?.id ?? '' }
  for (let count = 0; count < 9; count++)
    await expect(orders.call(confirmOrderPayment, pay, subscribed.buyer)).rejects.toThrow(PaymentError)
  await advance(orders, subscribed, after(late.current_period_start, 15))
  const failures = (count: number) =>
    eventually(async () => expect(await orders.rows('select failed_charges from subscriptions')).toEqual([{ failed_charges: count }]))
  await failures(2)
  expect(await countFailures(orders)).toBe(10)
  await replaceMethods(orders, 'ctoken_ok')
  await advance(orders, subscribed, after(late.current_period_start, 31))
  await waitForSubscription(orders, subscribed, { status: 'active' })
})

test('settings outside of the limits are rejected and change nothing, also in SQL', async () => {
  await using orders = await startOrders()
  const { seller, organizationId } = await orders.shop()
  const before = await orders.call(getPaymentSettings, {}, seller)
  for (const days of [[], [0], [15], [1.5], Array.from({ length: 9 }, () => 1)]) {
    await expect(orders.call(updatePaymentSettings, { retry_after_days: days }, seller)).rejects.toThrow(RequestValidationError)
  }
  for (const days of ['{}', '{0}', '{15}', '{null}', '{1,1,1,1,1,1,1,1,1}']) {
    await expect(orders.rows('update organizations set retry_after_days = $1', [days])).rejects.toThrow('organizations_retry_after_days')
  }
  await expect(orders.rows(`update organizations set after_last_try = 'active'`)).rejects.toThrow('organizations_after_last_try')
  expect(await orders.call(updatePaymentSettings, {}, seller)).toEqual(before)
  expect(before).toMatchObject({ organization_id: organizationId })
})

test('settings of another organization are neither read nor changed', async () => {
  await using orders = await startOrders()
  const [own, foreign] = [await orders.shop(), await orders.shop()]
  const person = userCaller({ userId: randomUUID(), organizationIds: [own.organizationId] })
  const change = { organization_id: foreign.organizationId, retry_after_days: [14] }
  for (const caller of [person, own.seller]) {
    await expect(orders.call(getPaymentSettings, { organization_id: foreign.organizationId }, caller)).rejects.toThrow(
      RequestValidationError,
    )
    await expect(orders.call(updatePaymentSettings, change, caller)).rejects.toThrow(RequestValidationError)
  }
  expect(await orders.call(getPaymentSettings, {}, foreign.seller)).toMatchObject({ retry_after_days: [1, 3, 5, 7] })
  expect(await orders.call(getPaymentSettings, { organization_id: own.organizationId }, person)).toMatchObject({
    after_last_try: 'canceled',
  })
  const unknown = organizationCaller(randomUUID())
  await expect(orders.call(getPaymentSettings, {}, unknown)).rejects.toThrow(ServiceUnavailable)
  await expect(orders.call(updatePaymentSettings, {}, unknown)).rejects.toThrow(ServiceUnavailable)
})

import {
  deleteCustomerPaymentMethod,
  listCustomerPaymentMethods,
  PaymentMethodInUse,
  setDefaultCustomerPaymentMethod,
} from '@quittance/contracts/customer-payment-methods'
import {
  cancelCustomerSubscription,
  getCustomerSubscription,
  updateCustomerSubscription,
} from '@quittance/contracts/customer-subscriptions'
import { NotPermitted, RequestValidationError } from '@quittance/contracts/errors'
import { AlreadyCanceledSubscription, updateSubscription } from '@quittance/contracts/subscriptions'
import { customerCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'
import { storeFurtherMethod } from './stored-method.ts'
import { advance, after, buyPlan, subscribe, waitForSubscription, type Subscribed } from './subscribe.ts'

const email = 'ada@example.com'

/** A customer who has paid once, and a stranger's subscription that began with the customer's typed address. `own` is the customer's default. */
async function subscribeWithAddress(orders: OrdersUnderTest, { declines = false } = {}) {
  const shop = await orders.shop()
  const first = await buyPlan(orders, shop, { email })
  await waitForSubscription(orders, first, { status: 'active' })
  await orders.call(updateSubscription, { id: first.subscription.id, revoke: true }, shop.seller)
  const own = await storeFurtherMethod(orders, first.subscription.customer_id, 'ctoken_slow')
  const bought = await buyPlan(orders, shop, { email: 'ADA@example.com', token: declines ? 'ctoken_once' : 'ctoken_refund_pending' })
  const subscription = await waitForSubscription(orders, bought, { status: 'active' })
  expect(subscription.customer_id).toBe(first.subscription.customer_id)
  // As at a provider: the token of the first payment cannot be charged again.
  await orders.rows('update subscriptions set payment_token = null returning 1')
  const { payment_method_id: theirs } = await orders.call(getCustomerSubscription, { id: subscription.id }, bought.buyer)
  return { ...bought, subscription, own, theirs: theirs ?? '' }
}

const readCharged = (orders: OrdersUnderTest, { subscription }: Pick<Subscribed, 'subscription'>) =>
  orders.rows<{ payment_method_id: string; state: string }>(
    `select p.payment_method_id, p.state from payments p join orders o on o.id = p.order_id
     where o.subscription_id = $1 and o.billing_reason = 'subscription_cycle' order by p.created_at`,
    [subscription.id],
  )

test('a new default method is not charged for a subscription that a stranger began with the address of the customer', async () => {
  await using orders = await startOrders()
  const begun = await subscribeWithAddress(orders)
  await orders.call(setDefaultCustomerPaymentMethod, { id: begun.own }, begun.buyer)
  const seen = await orders.call(getCustomerSubscription, { id: begun.subscription.id }, begun.buyer)
  expect(seen).toMatchObject({ payment_method_id: begun.theirs, uses_default_payment_method: false })
  await advance(orders, begun, after(begun.subscription.current_period_end))
  await eventually(async () => expect(await readCharged(orders, begun)).toEqual([{ payment_method_id: begun.theirs, state: 'succeeded' }]))
})

test('a new default method is not charged at once for what a stranger owes with the address of the customer', async () => {
  await using orders = await startOrders()
  const begun = await subscribeWithAddress(orders, { declines: true })
  await advance(orders, begun, after(begun.subscription.current_period_end))
  await waitForSubscription(orders, begun, { status: 'past_due' })
  const before = await readCharged(orders, begun)
  await orders.call(setDefaultCustomerPaymentMethod, { id: begun.own }, begun.buyer)
  expect(await readCharged(orders, begun)).toEqual(before)
})

test('the method of a stranger stays while its subscription needs it, and the default method never takes its place', async () => {
  await using orders = await startOrders()
  const { buyer, subscription, own, theirs, ...shop } = await subscribeWithAddress(orders)
  await orders.call(setDefaultCustomerPaymentMethod, { id: own }, buyer)
  await expect(orders.call(deleteCustomerPaymentMethod, { id: theirs }, buyer)).rejects.toThrow(PaymentMethodInUse)
  await orders.call(cancelCustomerSubscription, { id: subscription.id }, buyer)
  await orders.call(deleteCustomerPaymentMethod, { id: theirs }, buyer)
  await orders.call(updateCustomerSubscription, { id: subscription.id, cancel_at_period_end: false }, buyer)
  await advance(orders, shop, after(subscription.current_period_end))
  await waitForSubscription(orders, { ...shop, subscription }, { status: 'past_due' })
  expect(await readCharged(orders, { subscription })).toEqual([])
})

test('the own methods can be deleted beside the subscription of a stranger', async () => {
  await using orders = await startOrders()
  const { buyer, own } = await subscribeWithAddress(orders)
  await orders.call(setDefaultCustomerPaymentMethod, { id: own }, buyer)
  await orders.call(deleteCustomerPaymentMethod, { id: own }, buyer)
  const { items } = await orders.call(listCustomerPaymentMethods, {}, buyer)
  expect(items.map(({ id }) => id)).not.toContain(own)
})

test('a signed-in customer chooses a method for a subscription, which then follows the default', async () => {
  await using orders = await startOrders()
  const begun = await subscribeWithAddress(orders)
  const { subscription, buyer, own, theirs } = begun
  const { id } = subscription
  const chosen = await orders.call(updateCustomerSubscription, { id, payment_method_id: own }, buyer)
  expect(chosen).toMatchObject({ payment_method_id: own, uses_default_payment_method: true })
  await orders.call(deleteCustomerPaymentMethod, { id: theirs }, buyer)
  const later = await storeFurtherMethod(orders, subscription.customer_id, 'ctoken_refund_bounces')
  await orders.call(setDefaultCustomerPaymentMethod, { id: later }, buyer)
  expect(await orders.call(getCustomerSubscription, { id }, buyer)).toMatchObject({ payment_method_id: later })
  await advance(orders, begun, after(subscription.current_period_end))
  await eventually(async () => expect(await readCharged(orders, begun)).toEqual([{ payment_method_id: later, state: 'succeeded' }]))
})

test('the chosen method is charged at once for what is overdue', async () => {
  await using orders = await startOrders()
  const begun = await subscribeWithAddress(orders, { declines: true })
  await advance(orders, begun, after(begun.subscription.current_period_end))
  await waitForSubscription(orders, begun, { status: 'past_due' })
  await orders.call(updateCustomerSubscription, { id: begun.subscription.id, payment_method_id: begun.own }, begun.buyer)
  await waitForSubscription(orders, begun, { status: 'active' })
  expect((await readCharged(orders, begun)).at(-1)).toEqual({ payment_method_id: begun.own, state: 'succeeded' })
})

test('only a stored method of the customer can be chosen, by the customer, before the end', async () => {
  await using orders = await startOrders()
  const begun = await subscribeWithAddress(orders)
  const { subscription, buyer, own, theirs, organizationId } = begun
  const stranger = await subscribe(orders)
  const foreign = await storeFurtherMethod(orders, stranger.subscription.customer_id, 'ctoken_slow')
  const choose = (caller: typeof buyer, methodId: string) =>
    orders.call(updateCustomerSubscription, { id: subscription.id, payment_method_id: methodId }, caller)
  await expect(choose(buyer, foreign)).rejects.toThrow(RequestValidationError)
  const bound = customerCaller({ organizationId, customerId: subscription.customer_id, checkoutId: subscription.checkout_id })
  await expect(choose(bound, theirs)).rejects.toThrow(NotPermitted)
  // A session without a proof names the method, and does not accept the subscription.
  const unproven = customerCaller({ organizationId, customerId: subscription.customer_id, proof: null })
  expect(await choose(unproven, theirs)).toMatchObject({ payment_method_id: theirs, uses_default_payment_method: false })
  await orders.call(updateSubscription, { id: subscription.id, revoke: true }, begun.seller)
  await expect(choose(buyer, own)).rejects.toThrow(AlreadyCanceledSubscription)
})

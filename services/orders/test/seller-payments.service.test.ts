import { randomUUID } from 'node:crypto'
import { confirmCheckout, createCheckout } from '@quittance/contracts/checkouts'
import { addCustomerPaymentMethod, listPaymentMethodsOfCustomer } from '@quittance/contracts/customer-payment-methods'
import { confirmOrderPayment, PaymentInProgress } from '@quittance/contracts/customer-payments'
import { getDispute, listDisputes } from '@quittance/contracts/disputes'
import { Conflict, ResourceNotFound } from '@quittance/contracts/errors'
import { getPaymentTimeline, retryOrderPayment } from '@quittance/contracts/order-payments'
import { listOrders } from '@quittance/contracts/orders'
import { revokeSubscription, updateSubscription } from '@quittance/contracts/subscriptions'
import { customerCaller, organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'
import { deliverEvent, startStripeShop } from './stripe-shop.ts'
import { advance, after, createPlan, replaceMethods, subscribe, waitForSubscription } from './subscribe.ts'

const stranger = organizationCaller(randomUUID())

/** A sale by Stripe that the buyer's bank disputes at once. */
async function startDisputed(price?: number) {
  const world = await startStripeShop()
  const { orders, shop, fake, stripe } = world
  const { id } = price === undefined ? shop.product : await createPlan(orders, shop.seller, { price })
  const { client_secret } = await orders.call(createCheckout, { products: [id] }, shop.seller)
  const confirmation_token_id = fake.buyer.createToken(stripe.id, 'pm_card_createDispute')
  const confirmation = { client_secret, confirmation_token_id, customer_email: `${randomUUID()}@example.com` }
  await orders.call(confirmCheckout, confirmation, { kind: 'anonymous' })
  await deliverEvent(world, 'charge.dispute.created')
  const dispute = await eventually(async () => {
    const { items } = await orders.call(listDisputes, {}, shop.seller)
    expect(items).toHaveLength(1)
    return items[0] as NonNullable<(typeof items)[0]>
  })
  return { ...world, dispute }
}

test('sellers list and get the disputes of their payments, and of no others', async () => {
  await using world = await startDisputed()
  const { orders, shop, dispute } = world
  const { seller, organizationId } = shop
  expect(dispute).toMatchObject({
    organization_id: organizationId,
    provider: 'stripe',
    amount: 4200,
    currency: 'usd',
    tax_amount: 0,
    funds: expect.any(String),
    resolved: false,
    closed: false,
    past_due: false,
    case_id: null,
    customer: { organization_id: organizationId, email: expect.any(String) },
  })
  expect(await orders.call(getDispute, { id: dispute.id }, seller)).toEqual(dispute)
  const count = async (filters: object) => (await orders.call(listDisputes, filters, seller)).items.length
  const { order_id, payment_id, status } = dispute
  for (const filter of [{ order_id }, { payment_id }, { status }, { organization_id: organizationId }]) expect(await count(filter)).toBe(1)
  for (const filter of [{ order_id: payment_id }, { payment_id: order_id }, { status: 'won' }]) expect(await count(filter)).toBe(0)
  expect((await orders.call(listDisputes, {}, stranger)).items).toEqual([])
  await expect(orders.call(getDispute, { id: dispute.id }, stranger)).rejects.toThrow(ResourceNotFound)
})

test('the timeline of a payment has its calls, events, results and disputes, for its seller only', async () => {
  await using world = await startDisputed()
  const { orders, shop, dispute } = world
  const { items, payment_id } = await orders.call(getPaymentTimeline, { id: dispute.payment_id }, shop.seller)
  expect(payment_id).toBe(dispute.payment_id)
  expect(items.map(({ what }) => what)).toEqual(expect.arrayContaining(['created', 'submitted', 'succeeded', 'disputed']))
  expect(items.map(({ at }) => at)).toEqual(items.map(({ at }) => at).toSorted())
  await expect(orders.call(getPaymentTimeline, { id: payment_id }, stranger)).rejects.toThrow(ResourceNotFound)
})

/** A subscription that owes a renewal; later charges have the result of this token. */
async function owe(orders: OrdersUnderTest, token: string) {
  const subscribed = await subscribe(orders)
  await replaceMethods(orders, 'ctoken_insufficient_funds')
  await advance(orders, subscribed, after(subscribed.subscription.current_period_end))
  await waitForSubscription(orders, subscribed, { status: 'past_due' })
  await replaceMethods(orders, token)
  const { items } = await orders.call(listOrders, {}, subscribed.seller)
  const [owed, paid] = ['pending', 'paid'].map((status) => items.find((order) => order.status === status)?.id ?? '')
  const retry = (id = owed ?? '') => orders.call(retryOrderPayment, { id }, subscribed.seller)
  return { ...subscribed, owed: owed ?? '', paid: paid ?? '', retry }
}

test('a seller charges an unpaid order again, which ends that it is past due', async () => {
  await using orders = await startOrders()
  const owing = await owe(orders, 'ctoken_ok')
  await expect(orders.call(retryOrderPayment, { id: owing.owed }, stranger)).rejects.toThrow(ResourceNotFound)
  expect(await owing.retry()).toMatchObject({ order_id: owing.owed, status: 'succeeded', trigger: 'retry_admin' })
  await waitForSubscription(orders, owing, { status: 'active' })
  await expect(owing.retry()).rejects.toThrow(Conflict)
  await expect(owing.retry(owing.paid)).rejects.toThrow(Conflict)
})

test('the renewal of a subscription that has ended is charged neither by its seller nor by its buyer', async () => {
  await using orders = await startOrders()
  const owing = await owe(orders, 'ctoken_ok')
  await orders.call(revokeSubscription, { id: owing.subscription.id }, owing.seller)
  await expect(owing.retry()).rejects.toThrow('has ended')
  const request = { id: owing.owed, confirmation_token_id: 'ctoken_ok' }
  await expect(orders.call(confirmOrderPayment, request, owing.buyer)).rejects.toThrow('has ended')
  expect(await orders.rows(`select from payments where initiator in ('seller', 'buyer_again')`)).toEqual([])
})

test('a declined try of a seller leaves the schedule as it was, and a final decline is not tried again [payments 70]', async () => {
  await using orders = await startOrders()
  const owing = await owe(orders, 'ctoken_expired')
  const schedule = () => orders.rows('select due_at, failed_charges, status from subscriptions')
  const before = await schedule()
  expect(await owing.retry()).toMatchObject({ status: 'failed', decline_reason: 'expired_card' })
  expect(await schedule()).toEqual(before)
  await expect(owing.retry()).rejects.toThrow(Conflict)
})

test('an attempt that is due while a seller tries follows after the decline, without a further failure [payments 70]', async () => {
  await using orders = await startOrders()
  const owing = await owe(orders, 'ctoken_pending')
  expect(await owing.retry()).toMatchObject({ status: 'pending' })
  await advance(orders, owing, after(owing.subscription.current_period_end, 2))
  const schedule = () => orders.rows('select due_at, failed_charges from subscriptions')
  await eventually(async () => expect(await schedule()).toEqual([{ due_at: null, failed_charges: 1 }]))
  await replaceMethods(orders, 'ctoken_ok')
  await orders.rows(
    `update sandbox_objects set status = 'declined', token = 'ctoken_insufficient_funds' where status = 'processing' returning 1`,
  )
  await orders.rows(`update payments set next_check_at = now() where initiator = 'seller' returning 1`)
  await waitForSubscription(orders, owing, { status: 'active' })
  const states = `select initiator, state from payments where checkout_id is null order by created_at`
  expect(await orders.rows(states)).toEqual([
    { initiator: 'schedule', state: 'failed' },
    { initiator: 'seller', state: 'failed' },
    { initiator: 'schedule', state: 'succeeded' },
  ])
})

test('while a payment of the order is in progress a seller starts no other [payments 23]', async () => {
  await using orders = await startOrders()
  const owing = await owe(orders, 'ctoken_pending')
  expect(await owing.retry()).toMatchObject({ status: 'pending' })
  await expect(owing.retry()).rejects.toThrow(PaymentInProgress)
})

test('a change of product credits no payment that the bank of the buyer took back', async () => {
  await using world = await startDisputed(10_000)
  const { orders, shop, dispute, fake, stripe } = world
  expect(dispute).toMatchObject({ amount: 10_000, funds: 'withdrawn' })
  const buyer = customerCaller({ organizationId: shop.organizationId, customerId: dispute.customer.id })
  const confirmation_token_id = fake.buyer.createToken(stripe.id)
  await orders.call(addCustomerPaymentMethod, { confirmation_token_id, set_default: true }, buyer)
  const smaller = await createPlan(orders, shop.seller, { price: 100 })
  const [row] = await orders.rows<{ id: string }>('select id from subscriptions')
  await orders.call(updateSubscription, { id: row?.id ?? '', product_id: smaller.id, proration_behavior: 'prorate' }, shop.seller)
  expect(await orders.rows('select amount from prorations')).toEqual([{ amount: '100' }])
})

test('sellers list the payment methods of their customers, and of no others', async () => {
  await using orders = await startOrders()
  const { seller, subscription } = await subscribe(orders)
  const id = subscription.customer_id
  const { items } = await orders.call(listPaymentMethodsOfCustomer, { id }, seller)
  expect(items).toMatchObject([{ customer_id: id, type: 'card', default: true }])
  expect(JSON.stringify(items)).not.toContain('ctoken')
  await expect(orders.call(listPaymentMethodsOfCustomer, { id }, stranger)).rejects.toThrow(ResourceNotFound)
})

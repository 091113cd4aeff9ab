import { randomUUID } from 'node:crypto'
import type { Caller, CustomerProof } from '@quittance/contracts/caller'
import { confirmCheckout, createCheckout, PaymentError } from '@quittance/contracts/checkouts'
import { confirmOrderPayment, PaymentInProgress } from '@quittance/contracts/customer-payments'
import { Conflict, RequestValidationError, ResourceNotFound, TooManyRequests } from '@quittance/contracts/errors'
import { listOrders } from '@quittance/contracts/orders'
import { customerCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { expectMoneyToAddUp } from './money.ts'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'
import { advance, after, replaceMethods, subscribe, waitForSubscription, type Subscribed } from './subscribe.ts'

interface Owing extends Subscribed {
  /** The renewal that was declined. */
  orderId: string
}

/** A subscription whose renewal was declined once. */
async function owe(orders: OrdersUnderTest): Promise<Owing> {
  const subscribed = await subscribe(orders)
  await replaceMethods(orders, 'ctoken_insufficient_funds')
  await advance(orders, subscribed, after(subscribed.subscription.current_period_end))
  const subscription = await waitForSubscription(orders, subscribed, { status: 'past_due' })
  const { items } = await orders.call(listOrders, { customer_id: subscription.customer_id }, subscribed.seller)
  return { ...subscribed, subscription, orderId: items.find(({ status }) => status === 'pending')?.id ?? '' }
}

function pay(orders: OrdersUnderTest, { orderId, buyer }: Pick<Owing, 'orderId' | 'buyer'>, token: string) {
  return orders.call(confirmOrderPayment, { id: orderId, confirmation_token_id: token }, buyer)
}

const readSchedule = (orders: OrdersUnderTest) => orders.rows<{ due_at: Date }>('select due_at, failed_charges, status from subscriptions')

const countPayments = async (orders: OrdersUnderTest, which: string) =>
  (await orders.rows(`select from payments where ${which} and checkout_id is null`)).length

test('tries by the buyer leave the schedule as it was [payments 70]', async () => {
  await using orders = await startOrders()
  const owing = await owe(orders)
  const before = await readSchedule(orders)
  expect(before).toMatchObject([{ failed_charges: 1, status: 'past_due', due_at: expect.any(Date) }])
  for (const token of ['ctoken_insufficient_funds', 'ctoken_expired', 'ctoken_lost'])
    await expect(pay(orders, owing, token)).rejects.toThrow(PaymentError)
  expect(await readSchedule(orders)).toEqual(before)
  expect(await countPayments(orders, `initiator = 'buyer_again' and state = 'failed'`)).toBe(3)
})

test('an attempt that is due while the buyer pays waits for the result, and then follows without a further failure [payments 70]', async () => {
  await using orders = await startOrders()
  const owing = await owe(orders)
  expect(await pay(orders, owing, 'ctoken_action')).toMatchObject({ status: 'requires_action' })
  await advance(orders, owing, after(owing.subscription.current_period_start, 2))
  await eventually(async () => expect(await readSchedule(orders)).toMatchObject([{ due_at: null, failed_charges: 1 }]))
  expect(await countPayments(orders, `initiator = 'schedule'`)).toBe(1)
  await replaceMethods(orders, 'ctoken_ok')
  await orders.rows(`update payments set action_until = now(), next_check_at = now() where initiator = 'buyer_again' returning 1`)
  await waitForSubscription(orders, owing, { status: 'active' })
  expect(await countPayments(orders, `initiator = 'schedule' and state = 'succeeded'`)).toBe(1)
  expect(await countPayments(orders, `initiator = 'buyer_again' and state = 'failed'`)).toBe(1)
  await expectMoneyToAddUp(orders)
})

test('schedule and portal at the same moment: one charge [payments 71]', async () => {
  await using orders = await startOrders()
  for (let round = 0; round < 4; round++) {
    const owing = await owe(orders)
    await replaceMethods(orders, 'ctoken_ok')
    const due = after(owing.subscription.current_period_start, 2)
    const [, portal] = await Promise.allSettled([
      advance(orders, owing, due),
      pay(orders, owing, 'ctoken_ok'),
      pay(orders, owing, 'ctoken_ok'),
    ])
    if (portal.status === 'rejected') expect([PaymentInProgress.name, Conflict.name]).toContain((portal.reason as Error).name)
    await waitForSubscription(orders, owing, { status: 'active' })
    const succeeded = await orders.rows(`select from payments where order_id = $1 and state = 'succeeded'`, [owing.orderId])
    expect(succeeded).toHaveLength(1)
  }
  await expectMoneyToAddUp(orders)
})

test('a paid order makes the subscription active with the method of the buyer', async () => {
  await using orders = await startOrders()
  const owing = await owe(orders)
  expect(await pay(orders, owing, 'ctoken_ok')).toEqual({ status: 'succeeded', client_secret: null, error: null })
  await waitForSubscription(orders, owing, { status: 'active' })
  const [method] = await orders.rows<{ id: string; provider_method: string }>(
    'select m.id, m.provider_method from payment_methods m join subscriptions s on s.payment_method_id = m.id',
  )
  expect(method?.provider_method).toBe('pm_ctoken_ok')
  await expect(pay(orders, owing, 'ctoken_ok')).rejects.toThrow(Conflict)
})

test('a buyer may pay with one of the stored methods, but not in a session of a checkout', async () => {
  await using orders = await startOrders()
  const owing = await owe(orders)
  await replaceMethods(orders, 'ctoken_ok')
  const ofCustomer = 'select id from payment_methods where customer_id = $1'
  const [stored] = await orders.rows<{ id: string }>(ofCustomer, [owing.subscription.customer_id])
  const other = await subscribe(orders)
  const [foreign] = await orders.rows<{ id: string }>(ofCustomer, [other.subscription.customer_id])
  const request = { id: owing.orderId, payment_method_id: stored?.id ?? '' }
  const bound = { ...owing.buyer, checkout_id: owing.subscription.checkout_id } as Caller
  await expect(orders.call(confirmOrderPayment, request, bound)).rejects.toThrow(ResourceNotFound)
  const stolen = { ...request, payment_method_id: foreign?.id ?? '' }
  await expect(orders.call(confirmOrderPayment, stolen, owing.buyer)).rejects.toThrow(RequestValidationError)
  expect(await orders.call(confirmOrderPayment, request, owing.buyer)).toMatchObject({ status: 'succeeded' })
})

test('a payment by the buyer is rejected while another is in progress, after ten declines, and without a source', async () => {
  await using orders = await startOrders()
  const owing = await owe(orders)
  const { orderId: id, buyer, organizationId } = owing
  await expect(orders.call(confirmOrderPayment, { id }, buyer)).rejects.toThrow(RequestValidationError)
  const both = { id, confirmation_token_id: 'ctoken_ok', payment_method_id: randomUUID() }
  await expect(orders.call(confirmOrderPayment, both, buyer)).rejects.toThrow(RequestValidationError)
  const stranger = customerCaller({ organizationId, customerId: randomUUID() })
  await expect(pay(orders, { ...owing, buyer: stranger }, 'ctoken_ok')).rejects.toThrow(ResourceNotFound)
  await expect(pay(orders, { ...owing, orderId: randomUUID() }, 'ctoken_ok')).rejects.toThrow(ResourceNotFound)
  for (let tries = 0; tries < 10; tries++) await expect(pay(orders, owing, 'ctoken_expired')).rejects.toThrow(PaymentError)
  await expect(pay(orders, owing, 'ctoken_ok')).rejects.toThrow(TooManyRequests)
  await orders.rows(`update payments set created_at = created_at - interval '1 hour' where initiator = 'buyer_again' returning 1`)
  expect(await pay(orders, owing, 'ctoken_pending')).toMatchObject({ status: 'processing' })
  await expect(pay(orders, owing, 'ctoken_ok')).rejects.toThrow(PaymentInProgress)
})

test('a new card counts towards the declines of a network, but not in a session that the seller made', async () => {
  await using orders = await startOrders()
  const owing = await owe(orders)
  const network = '203.0.113.7'
  const from = (proof: CustomerProof) => ({ ...owing, buyer: { ...owing.buyer, proof, network } as Caller })
  await expect(pay(orders, from('code'), 'ctoken_insufficient_funds')).rejects.toThrow(PaymentError)
  for (let count = 1; count < 20; count++) {
    const { client_secret } = await orders.call(createCheckout, { products: [owing.product.id] }, owing.seller)
    const confirmation = { customer_email: `${randomUUID()}@example.com`, confirmation_token_id: 'ctoken_insufficient_funds' }
    const declined = orders.call(confirmCheckout, { client_secret, ...confirmation }, { kind: 'anonymous', network })
    await expect(declined).rejects.toThrow(PaymentError)
  }
  await expect(pay(orders, from('code'), 'ctoken_ok')).rejects.toThrow(TooManyRequests)
  await pay(orders, from('seller'), 'ctoken_ok')
  await waitForSubscription(orders, owing, { status: 'active' })
})

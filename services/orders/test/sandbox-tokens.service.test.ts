import { confirmCheckout, createCheckout, getCheckoutByClient, PaymentError } from '@quittance/contracts/checkouts'
import { listOrders } from '@quittance/contracts/orders'
import { createRefund, listRefunds } from '@quittance/contracts/refunds'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'
import { advance, after, subscribe, waitForSubscription } from './subscribe.ts'

const anonymous = { kind: 'anonymous' } as const

/** Buys with a token of the first release. Returns the status right after the confirmation, and how to read it later. */
async function buy(orders: OrdersUnderTest, token: string) {
  const { seller, product } = await orders.shop()
  const { client_secret, id } = await orders.call(createCheckout, { products: [product.id] }, seller)
  const confirmation = { client_secret, customer_email: 'ada@example.com', confirmation_token_id: token }
  const { status } = await orders.call(confirmCheckout, confirmation, anonymous)
  const read = async () => (await orders.call(getCheckoutByClient, { client_secret }, anonymous)).status
  return { seller, id, first: status, read }
}

test.each([
  { token: 'ctoken_ok', last: 'succeeded', payment: 'succeeded' },
  { token: 'ctoken_slow', last: 'succeeded', payment: 'succeeded' },
  { token: 'ctoken_once', last: 'succeeded', payment: 'succeeded' },
  { token: 'ctoken_refund_bounces', last: 'succeeded', payment: 'succeeded' },
  { token: 'ctoken_declined_later', last: 'open', payment: 'failed' },
  { token: 'ctoken_pending', last: 'confirmed', payment: 'pending' },
])('$token confirms, and leaves the checkout $last [payments 66]', async ({ token, last, payment }) => {
  await using orders = await startOrders()
  const { first, read } = await buy(orders, token)
  expect(first).toBe('confirmed')
  await eventually(async () => {
    expect(await read()).toBe(last)
    expect(await orders.rows('select status from payments')).toEqual([{ status: payment }])
  })
})

test.each(['ctoken_unknown', 'constructor', 'toString', '__proto__'])(
  'the unknown token %s is rejected, and nothing is ordered',
  async (token) => {
    await using orders = await startOrders()
    await expect(buy(orders, token)).rejects.toThrow(PaymentError)
    expect(await orders.rows('select from payments')).toEqual([])
  },
)

test('ctoken_once pays the first order of a subscription and no renewal [payments 66]', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders, { token: 'ctoken_once' })
  await advance(orders, subscribed, after(subscribed.subscription.current_period_end))
  await waitForSubscription(orders, subscribed, { status: 'past_due' })
})

test('a refund of ctoken_refund_bounces succeeds and is returned later [payments 66]', async () => {
  await using orders = await startOrders()
  const { seller, id } = await buy(orders, 'ctoken_refund_bounces')
  const order = await eventually(async () => {
    const [found] = (await orders.call(listOrders, { checkout_id: id }, seller)).items
    expect(found?.status).toBe('paid')
    return found
  })
  const request = { order_id: order?.id ?? '', reason: 'customer_request' as const, amount: 4200 }
  expect(await orders.call(createRefund, request, seller)).toMatchObject({ status: 'succeeded' })
  await eventually(async () => expect((await orders.call(listRefunds, {}, seller)).items).toMatchObject([{ status: 'failed' }]))
})

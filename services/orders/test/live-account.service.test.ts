import { confirmCheckout, createCheckout, getCheckoutByClient, PaymentError } from '@quittance/contracts/checkouts'
import { listCustomerPaymentMethods } from '@quittance/contracts/customer-payment-methods'
import { confirmOrderPayment } from '@quittance/contracts/customer-payments'
import { Conflict, NotPermitted, RequestValidationError } from '@quittance/contracts/errors'
import { createPaymentAccount, deletePaymentAccount, updatePaymentAccount } from '@quittance/contracts/payment-accounts'
import { retryOrderPayment } from '@quittance/contracts/order-payments'
import { advanceTestClock } from '@quittance/contracts/test-clock'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { startOrders } from './start-orders.ts'
import { buildAccountRequest, sharedFake, startStripeShop } from './stripe-shop.ts'
import { advance, after, buyPlan, replaceMethods, subscribe, waitForSubscription } from './subscribe.ts'

const anonymous = { kind: 'anonymous' } as const

test('from the first live account on no token of the sandbox pays, and the test clock stands still [payments 67]', async () => {
  const fake = await sharedFake()
  await using orders = await startOrders()
  const { seller, product } = await orders.shop()
  const other = await orders.shop()
  const confirm = async (shop: typeof other) => {
    const { client_secret } = await orders.call(createCheckout, { products: [shop.product.id] }, shop.seller)
    const request = { client_secret, customer_email: 'ada@example.com', confirmation_token_id: 'ctoken_ok' }
    await orders.call(confirmCheckout, request, anonymous)
  }
  const advance = (hours: number) => orders.call(advanceTestClock, { to: new Date(Date.now() + hours * 3_600_000).toISOString() }, seller)
  await advance(1)
  for (const is_default of [true, false]) {
    const live = fake.createAccount({ mode: 'live' })
    const account = await orders.call(createPaymentAccount, { ...buildAccountRequest(live), is_default }, seller)
    await expect(confirm({ ...other, seller, product })).rejects.toThrow(PaymentError)
    await expect(advance(2)).rejects.toThrow(NotPermitted)
    const { client_secret } = await orders.call(createCheckout, { products: [product.id] }, seller)
    const { payment_processor_metadata: metadata } = await orders.call(getCheckoutByClient, { client_secret }, anonymous)
    expect(metadata['provider']).toBe(is_default ? 'stripe' : undefined)
    await orders.call(updatePaymentAccount, { id: account.id, status: 'disabled' }, seller)
    // A seller that takes no payments for a while gives nothing away.
    await expect(confirm({ ...other, seller, product })).rejects.toThrow(PaymentError)
    await expect(advance(2)).rejects.toThrow(NotPermitted)
    expect(await orders.rows('select from payments')).toEqual([])
  }
  await confirm(other)
})

test('from the first live account on no stored method of the sandbox pays', async () => {
  const fake = await sharedFake()
  await using orders = await startOrders()
  const bought = await subscribe(orders)
  const { seller, buyer, subscription } = bought
  await replaceMethods(orders, 'ctoken_insufficient_funds')
  await advance(orders, bought, after(subscription.current_period_end))
  await waitForSubscription(orders, bought, { status: 'past_due' })
  await replaceMethods(orders, 'ctoken_ok')
  const account = await orders.call(createPaymentAccount, buildAccountRequest(fake.createAccount({ mode: 'live' })), seller)
  const { items } = await orders.call(listCustomerPaymentMethods, {}, buyer)
  const [order] = await orders.rows<{ id: string }>(`select id from orders where status = 'pending'`)
  const id = order?.id ?? ''
  const pay = () => orders.call(confirmOrderPayment, { id, payment_method_id: items[0]?.id ?? '' }, buyer)
  await expect(pay()).rejects.toThrow(RequestValidationError)
  await expect(orders.call(retryOrderPayment, { id }, seller)).rejects.toThrow(Conflict)
  expect(await orders.rows('select from payments')).toHaveLength(2)
  await orders.call(updatePaymentAccount, { id: account.id, status: 'disabled' }, seller)
  await expect(pay()).rejects.toThrow(RequestValidationError)
})

test('a renewal charges no method at an account that is draining or disabled, and does again once it is active', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe, account } = shop
  const { seller } = shop.shop
  const bought = await buyPlan(orders, shop.shop, { token: fake.buyer.createToken(stripe.id) })
  const { current_period_end } = await waitForSubscription(orders, bought, { status: 'active' })
  await orders.call(deletePaymentAccount, { id: account.id }, seller)
  await advance(orders, bought, after(current_period_end))
  await waitForSubscription(orders, bought, { status: 'past_due' })
  await orders.call(updatePaymentAccount, { id: account.id, status: 'disabled' }, seller)
  await advance(orders, bought, after(current_period_end, 4))
  await eventually(async () => expect(await orders.rows('select from subscriptions where due_at > now()')).toHaveLength(1))
  expect(await orders.rows('select from payments')).toHaveLength(1)
  await orders.call(updatePaymentAccount, { id: account.id, status: 'active' }, seller)
  await advance(orders, bought, after(current_period_end, 9))
  await waitForSubscription(orders, bought, { status: 'active' })
  expect(fake.moneyMoved(stripe.id)).toEqual({ usd: 2_000 })
})

test('beside a live account no stored method of a test account pays, unless that is the default', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe, account } = shop
  const { seller } = shop.shop
  const bought = await buyPlan(orders, shop.shop, { token: fake.buyer.createToken(stripe.id) })
  const { current_period_end } = await waitForSubscription(orders, bought, { status: 'active' })
  await orders.call(updatePaymentAccount, { id: account.id, status: 'disabled' }, seller)
  await advance(orders, bought, after(current_period_end))
  await waitForSubscription(orders, bought, { status: 'past_due' })
  await orders.call(updatePaymentAccount, { id: account.id, status: 'active' }, seller)
  const live = fake.createAccount({ mode: 'live' })
  await orders.call(createPaymentAccount, { ...buildAccountRequest(live), is_default: true }, seller)
  const { items } = await orders.call(listCustomerPaymentMethods, {}, bought.buyer)
  const [order] = await orders.rows<{ id: string }>(`select id from orders where status = 'pending'`)
  const pay = () => orders.call(confirmOrderPayment, { id: order?.id ?? '', payment_method_id: items[0]?.id ?? '' }, bought.buyer)
  await expect(pay()).rejects.toThrow(RequestValidationError)
  await orders.call(updatePaymentAccount, { id: account.id, is_default: true }, seller)
  expect(await pay()).toMatchObject({ status: 'succeeded' })
})

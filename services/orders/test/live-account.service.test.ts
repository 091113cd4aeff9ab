import { confirmCheckout, createCheckout, getCheckoutByClient, PaymentError } from '@quittance/contracts/checkouts'
import { NotPermitted } from '@quittance/contracts/errors'
import { createPaymentAccount, updatePaymentAccount } from '@quittance/contracts/payment-accounts'
import { advanceTestClock } from '@quittance/contracts/test-clock'
import { expect, test } from 'vitest'
import { startOrders } from './start-orders.ts'
import { buildAccountRequest, sharedFake } from './stripe-shop.ts'

const anonymous = { kind: 'anonymous' } as const

test('with an active live account no token of the sandbox pays, and the test clock stands still [payments 67]', async () => {
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
    expect(await orders.rows('select from payments')).toEqual([])
    await orders.call(updatePaymentAccount, { id: account.id, status: 'disabled' }, seller)
  }
  await confirm(other)
  await advance(3)
})

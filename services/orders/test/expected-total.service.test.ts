import { confirmCheckout, createCheckout, getCheckoutByClient } from '@quittance/contracts/checkouts'
import { listOrders } from '@quittance/contracts/orders'
import { expect, test } from 'vitest'
import { startOrders } from './start-orders.ts'

const anonymous = { kind: 'anonymous' } as const

test('a confirmation with another total than the buyer saw is rejected and writes nothing [pages 29]', async () => {
  await using orders = await startOrders()
  const { seller, product } = await orders.shop()
  const { client_secret, total_amount } = await orders.call(createCheckout, { products: [product.id] }, seller)
  const confirmation = { client_secret, customer_email: 'ada@example.com', customer_name: 'Ada', confirmation_token_id: 'ctoken_ok' }
  for (const expected_total_amount of [total_amount - 1, total_amount + 1, 0]) {
    const rejected = orders.call(confirmCheckout, { ...confirmation, expected_total_amount }, anonymous)
    await expect(rejected).rejects.toThrow(/expected_total_amount/)
  }
  expect(await orders.call(getCheckoutByClient, { client_secret }, anonymous)).toMatchObject({ status: 'open', customer_email: null })
  expect((await orders.call(listOrders, {}, seller)).items).toEqual([])
  const confirmed = await orders.call(confirmCheckout, { ...confirmation, expected_total_amount: total_amount }, anonymous)
  expect(confirmed).toMatchObject({ status: 'confirmed', total_amount, payment_processor_metadata: { provider: 'sandbox' } })
})

import { confirmCheckout, createCheckout, PaymentError } from '@quittance/contracts/checkouts'
import { TooManyRequests } from '@quittance/contracts/errors'
import { expect, test } from 'vitest'
import { startOrders, type OrdersUnderTest, type Shop } from './start-orders.ts'

const here = { kind: 'anonymous', network: '203.0.113.7' } as const
const elsewhere = { kind: 'anonymous', network: '198.51.100.9' } as const

interface Try {
  token?: string
  caller?: typeof here | typeof elsewhere
  address?: string
}

/** Creates a checkout and confirms it. */
async function tryToPay(orders: OrdersUnderTest, shop: Shop, { token = 'ctoken_ok', caller = here, address }: Try = {}) {
  const settings = { products: [shop.product.id], ...(address && { customer_ip_address: address }) }
  const { client_secret } = await orders.call(createCheckout, settings, shop.seller)
  return orders.call(
    confirmCheckout,
    { client_secret, customer_email: `${crypto.randomUUID()}@example.com`, confirmation_token_id: token },
    caller as typeof here,
  )
}

async function declineTwenty(orders: OrdersUnderTest, shop: Shop, options: Try = {}): Promise<void> {
  for (let count = 0; count < 20; count++)
    await expect(tryToPay(orders, shop, { token: 'ctoken_insufficient_funds', ...options })).rejects.toThrow(PaymentError)
}

test('after 20 declines an hour a network gets 429 with a time, and others can buy [pages 40]', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  await declineTwenty(orders, shop)
  const rejected = await tryToPay(orders, shop).catch((error: unknown) => error)
  expect(rejected).toBeInstanceOf(TooManyRequests)
  expect((rejected as TooManyRequests).retryAfterSeconds).toBeGreaterThan(3_000)
  expect((rejected as TooManyRequests).retryAfterSeconds).toBeLessThanOrEqual(3_600)
  await tryToPay(orders, shop, { caller: elsewhere })
  // Another seller is not concerned, nor is the network itself an hour later.
  await tryToPay(orders, await orders.shop())
  await orders.rows(`update payment_attempts set created_at = created_at - interval '61 minutes' returning payment_id`)
  await tryToPay(orders, shop)
  expect(await orders.rows('select from payments')).toHaveLength(23)
})

test('a rejected attempt changes nothing, and can be confirmed elsewhere', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  await declineTwenty(orders, shop)
  const { client_secret } = await orders.call(createCheckout, { products: [shop.product.id] }, shop.seller)
  const request = { client_secret, customer_email: 'ada@example.com', confirmation_token_id: 'ctoken_ok' }
  await expect(orders.call(confirmCheckout, request, here)).rejects.toThrow(TooManyRequests)
  expect(await orders.rows(`select status, customer_email from checkouts where client_secret = '${client_secret}'`)).toEqual([
    { status: 'open', customer_email: null },
  ])
  await orders.call(confirmCheckout, request, elsewhere)
})

test('a seller that confirms on its own server is counted by the addresses of its buyers', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  await declineTwenty(orders, shop, { address: '2001:db8::1' })
  await expect(tryToPay(orders, shop, { address: '2001:db8::2' })).rejects.toThrow(TooManyRequests)
  await tryToPay(orders, shop, { address: '192.0.2.1' })
  await tryToPay(orders, shop)
})

test('attempts at the same time do not pass after the first declines', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  for (let count = 0; count < 6; count++)
    await expect(tryToPay(orders, shop, { token: 'ctoken_insufficient_funds' })).rejects.toThrow(PaymentError)
  for (let count = 0; count < 14; count++) await tryToPay(orders, shop, { token: 'ctoken_pending' })
  await expect(tryToPay(orders, shop)).rejects.toThrow(TooManyRequests)
})

import { randomUUID } from 'node:crypto'
import {
  checkoutUpdated,
  confirmCheckout,
  createCheckout,
  ExpiredCheckoutError,
  NotOpenCheckout,
  updateCheckout,
  updateCheckoutByClient,
} from '@quittance/contracts/checkouts'
import { createDiscount } from '@quittance/contracts/discounts'
import { RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import { listOrders } from '@quittance/contracts/orders'
import { createProduct } from '@quittance/contracts/products'
import { organizationCaller, userCaller } from '@quittance/testing/callers'
import { expect, test } from 'vitest'
import { startOrders } from './start-orders.ts'

const anonymous = { kind: 'anonymous' } as const
const half = { name: 'Half', type: 'percentage' as const, basis_points: 5000, duration: 'once' as const, code: 'HALF' }

async function startWithTwoProducts() {
  const orders = await startOrders()
  const { seller, product } = await orders.shop()
  const price = { amount_type: 'fixed' as const, price_amount: 9900 }
  const other = await orders.call(createProduct, { name: 'Team plan', recurring_interval: null, prices: [price] }, seller)
  const checkout = await orders.call(createCheckout, { products: [product.id, other.id] }, seller)
  return { service: orders, seller, product, other, checkout, client_secret: checkout.client_secret }
}

test('the buyer chooses an offered product, a code and their details; all is published', async () => {
  const { service, other, client_secret, seller, product } = await startWithTwoProducts()
  await using orders = service
  await orders.call(createDiscount, { ...half, products: [product.id] }, seller)
  const discounted = await orders.call(updateCheckoutByClient, { client_secret, discount_code: 'half' }, anonymous)
  expect(discounted).toMatchObject({ amount: 4200, discount_amount: 2100, net_amount: 2100, discount: { name: 'Half' } })
  expect(await orders.nextEvent(checkoutUpdated)).toMatchObject({ id: discounted.id, discount_amount: 2100 })
  const details = { customer_email: 'ada@example.com', customer_billing_address: { country: 'GB' } }
  const changed = await orders.call(updateCheckoutByClient, { client_secret, product_id: other.id, ...details }, anonymous)
  expect(changed).toMatchObject({
    amount: 9900,
    discount_id: null,
    total_amount: 9900,
    product_id: other.id,
    customer_email: 'ada@example.com',
  })
  const back = await orders.call(updateCheckoutByClient, { client_secret, product_price_id: product.prices[0]?.id ?? '' }, anonymous)
  expect(back).toMatchObject({ product_id: product.id, amount: 4200 })
  await orders.call(updateCheckoutByClient, { client_secret, discount_code: 'HALF' }, anonymous)
  expect(await orders.call(updateCheckoutByClient, { client_secret, discount_code: null }, anonymous)).toMatchObject({ discount_id: null })
})

test('rejects a product not offered and an unknown code by name and changes nothing', async () => {
  const { service, client_secret, seller } = await startWithTwoProducts()
  await using orders = service
  const price = { amount_type: 'free' as const }
  const elsewhere = await orders.call(createProduct, { name: 'Elsewhere', recurring_interval: null, prices: [price] }, seller)
  const update = (change: object) => orders.call(updateCheckoutByClient, { client_secret, customer_name: 'Ada', ...change }, anonymous)
  await expect(update({ product_id: elsewhere.id })).rejects.toThrow(/product_id/)
  await expect(update({ product_price_id: randomUUID() })).rejects.toThrow(/product_price_id/)
  await expect(update({ discount_code: 'NONE' })).rejects.toThrow(RequestValidationError)
  expect(await orders.rows('select from checkouts where customer_name is not null')).toHaveLength(0)
})

test('ignores codes where they are not allowed', async () => {
  const { service, seller, checkout, client_secret } = await startWithTwoProducts()
  await using orders = service
  await orders.call(createDiscount, half, seller)
  await orders.call(updateCheckout, { id: checkout.id, allow_discount_codes: false }, seller)
  expect(await orders.call(updateCheckoutByClient, { client_secret, discount_code: 'HALF' }, anonymous)).toMatchObject({
    discount_id: null,
  })
})

test('a change of the buyer removes a discount that others have used up, also one that the seller set', async () => {
  const { service, seller, product } = await startWithTwoProducts()
  await using orders = service
  const { id } = await orders.call(createDiscount, { ...half, max_redemptions: 1 }, seller)
  const discounted = { products: [product.id], discount_id: id, allow_discount_codes: false }
  const { client_secret } = await orders.call(createCheckout, discounted, seller)
  const other = await orders.call(createCheckout, discounted, seller)
  expect(await orders.call(updateCheckoutByClient, { client_secret }, anonymous)).toMatchObject({ discount_id: id, total_amount: 2100 })
  const order = { customer_email: 'ada@example.com', confirmation_token_id: 'ctoken_ok' }
  await orders.call(confirmCheckout, { client_secret: other.client_secret, ...order }, anonymous)
  await expect(orders.call(confirmCheckout, { client_secret, ...order }, anonymous)).rejects.toThrow(/discount_id/)
  expect(await orders.call(updateCheckoutByClient, { client_secret }, anonymous)).toMatchObject({ discount_id: null, total_amount: 4200 })
  expect(await orders.call(confirmCheckout, { client_secret, ...order }, anonymous)).toMatchObject({ total_amount: 4200 })
})

test('the seller sets discount, metadata, address and the page after the checkout', async () => {
  const { service, seller, checkout } = await startWithTwoProducts()
  await using orders = service
  const discount = await orders.call(createDiscount, half, seller)
  const change = {
    id: checkout.id,
    discount_id: discount.id,
    metadata: { cart: 1 },
    customer_metadata: { vip: true },
    require_billing_address: true,
    success_url: 'https://shop.example.com/thanks',
    embed_origin: 'https://shop.example.com',
    customer_ip_address: '192.0.2.1',
  }
  const changed = await orders.call(updateCheckout, change, seller)
  expect(changed).toMatchObject({ ...change, discount_amount: 2100 })
  const cleared = await orders.call(updateCheckout, { id: checkout.id, discount_id: null, success_url: null, embed_origin: null }, seller)
  expect(cleared).toMatchObject({ discount_id: null, discount_amount: 0, embed_origin: null, metadata: { cart: 1 } })
  await expect(orders.call(updateCheckout, { id: checkout.id, discount_id: randomUUID() }, seller)).rejects.toThrow(/discount_id/)
  await expect(orders.call(updateCheckout, { id: checkout.id }, organizationCaller(randomUUID()))).rejects.toThrow(ResourceNotFound)
})

test('accepts ids in upper case, also of the organization', async () => {
  const { service, seller, product, other, client_secret } = await startWithTwoProducts()
  await using orders = service
  expect(await orders.call(updateCheckoutByClient, { client_secret, product_id: other.id.toUpperCase() }, anonymous)).toMatchObject({
    product_id: other.id,
  })
  const products = [product.id.toUpperCase(), other.id]
  expect(await orders.call(createCheckout, { products }, seller)).toMatchObject({ product_id: product.id })
  const user = userCaller({ userId: randomUUID(), organizationIds: [product.organization_id] })
  const price = { amount_type: 'fixed' as const, price_amount: 100 }
  const request = { name: 'Team', recurring_interval: null, prices: [price], organization_id: product.organization_id.toUpperCase() }
  expect(await orders.call(createProduct, request, user)).toMatchObject({ organization_id: product.organization_id })
})

test('rejects changes of an expired or confirmed checkout', async () => {
  const { service, seller, checkout, client_secret } = await startWithTwoProducts()
  await using orders = service
  await expect(orders.call(updateCheckoutByClient, { client_secret: 'qt_co_none' }, anonymous)).rejects.toThrow(ResourceNotFound)
  const confirmation = { client_secret, customer_email: 'ada@example.com', confirmation_token_id: 'ctoken_pending' }
  await orders.call(confirmCheckout, confirmation, anonymous)
  await expect(orders.call(updateCheckoutByClient, { client_secret }, anonymous)).rejects.toThrow(NotOpenCheckout)
  await expect(orders.call(updateCheckout, { id: checkout.id }, seller)).rejects.toThrow(NotOpenCheckout)
  await orders.rows(`update checkouts set status = 'open', expires_at = now()`)
  await expect(orders.call(updateCheckoutByClient, { client_secret }, anonymous)).rejects.toThrow(ExpiredCheckoutError)
  await expect(orders.call(updateCheckout, { id: checkout.id }, seller)).rejects.toThrow(ExpiredCheckoutError)
})

test('fifty concurrent confirmations of one checkout create one order and one payment', async () => {
  const { service, seller, client_secret } = await startWithTwoProducts()
  await using orders = service
  const confirmation = { client_secret, customer_email: 'ada@example.com', confirmation_token_id: 'ctoken_ok' }
  const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => orders.call(confirmCheckout, confirmation, anonymous)))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(NotOpenCheckout)
  expect((await orders.call(listOrders, {}, seller)).pagination.total_count).toBe(1)
  expect(await orders.rows('select from payments')).toHaveLength(1)
})

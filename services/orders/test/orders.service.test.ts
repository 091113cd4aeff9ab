import { randomUUID } from 'node:crypto'
import { confirmCheckout, createCheckout } from '@quittance/contracts/checkouts'
import { createDiscount } from '@quittance/contracts/discounts'
import { RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import { generateOrderInvoice, getOrder, listOrders, orderUpdated, updateOrder } from '@quittance/contracts/orders'
import { createProduct } from '@quittance/contracts/products'
import { organizationCaller, userCaller } from '@quittance/testing/callers'
import { expect, test } from 'vitest'
import { startOrders } from './start-orders.ts'

test('an order has its deprecated names beside their replacements [51]', async () => {
  await using orders = await startOrders()
  const { order, seller, product } = await orders.paidOrder({ billed: true })
  const found = await orders.call(getOrder, { id: order.id }, seller)
  expect(found).toMatchObject({ amount: found.net_amount, product_price_id: product.prices[0]?.id, user_id: found.customer_id })
  expect(found.product_price).toEqual(product.prices[0])
  expect(found.items[0]?.product_price_id).toBe(found.product_price_id)
})

test('any billing details change before the invoice request and are published [21]', async () => {
  await using orders = await startOrders()
  const { order, seller } = await orders.paidOrder({ billed: false })
  await orders.call(updateOrder, { id: order.id, billing_name: '  Ada  ' }, seller)
  const changed = await orders.call(updateOrder, { id: order.id, billing_address: { country: 'de', city: 'Berlin' } }, seller)
  expect(changed).toMatchObject({ billing_name: 'Ada', billing_address: { country: 'DE', city: 'Berlin', line1: null } })
  await orders.nextEvent(orderUpdated)
  expect(orders.publishedEvents.at(-1)?.payload).toMatchObject({ id: order.id })
})

test('rejects a changed value by name after the invoice request, but not an equal one [22, 23]', async () => {
  await using orders = await startOrders()
  const { order, seller } = await orders.paidOrder({ billed: true })
  await orders.call(generateOrderInvoice, { id: order.id }, seller)
  const same = { id: order.id, billing_name: order.billing_name, billing_address: order.billing_address }
  expect(await orders.call(updateOrder, same, seller)).toMatchObject({ billing_name: 'Ada Lovelace' })
  await expect(orders.call(updateOrder, { ...same, billing_name: 'Somebody' }, seller)).rejects.toThrow(/billing_name/)
  await expect(orders.call(updateOrder, { ...same, billing_address: null }, seller)).rejects.toThrow(RequestValidationError)
  expect(await orders.call(getOrder, { id: order.id }, seller)).toMatchObject({ billing_name: 'Ada Lovelace' })
})

test('returns not found for another organization’s order from every operation [13]', async () => {
  await using orders = await startOrders()
  const { order } = await orders.paidOrder({ billed: true })
  const stranger = organizationCaller(randomUUID())
  await expect(orders.call(getOrder, { id: order.id }, stranger)).rejects.toThrow(ResourceNotFound)
  await expect(orders.call(updateOrder, { id: order.id, billing_name: 'x' }, stranger)).rejects.toThrow(ResourceNotFound)
  expect((await orders.call(listOrders, { customer_id: order.customer_id }, stranger)).items).toEqual([])
})

test('a user sees the orders of every organization they belong to, and no other', async () => {
  await using orders = await startOrders()
  const first = await orders.paidOrder({ billed: true })
  const second = await orders.paidOrder({ billed: true })
  await orders.paidOrder({ billed: true })
  const person = userCaller({ userId: randomUUID(), organizationIds: [first.organizationId, second.organizationId] })
  const { items, pagination } = await orders.call(listOrders, {}, person)
  expect(items.map(({ id }) => id)).toEqual([second.order.id, first.order.id])
  expect(pagination.total_count).toBe(2)
  expect((await orders.call(listOrders, { organization_id: first.organizationId }, person)).items).toHaveLength(1)
})

test('the database rejects an order whose amounts do not add up', async () => {
  await using orders = await startOrders()
  await orders.paidOrder({ billed: true })
  await expect(orders.rows('update orders set net_amount = net_amount + 1')).rejects.toThrow(/orders_check|check constraint/)
})

test('lists orders by every filter, sorted by every property', async () => {
  await using orders = await startOrders()
  const { seller, order } = await orders.paidOrder({ billed: true })
  const prices = [{ amount_type: 'fixed' as const, price_amount: 900 }]
  const almanac = await orders.call(createProduct, { name: 'Almanac', recurring_interval: null, prices }, seller)
  const tenPercent = { name: 'Ten', type: 'percentage' as const, basis_points: 1000, duration: 'once' as const }
  const discount = await orders.call(createDiscount, tenPercent, seller)
  const wanted = { products: [almanac.id], discount_id: discount.id, metadata: { cart: 7, gift: true } }
  const checkout = await orders.call(createCheckout, wanted, seller)
  const confirmation = { client_secret: checkout.client_secret, customer_email: 'zoe@example.com', confirmation_token_id: 'ctoken_ok' }
  await orders.call(confirmCheckout, confirmation, { kind: 'anonymous' })
  const names = async (request: object) => (await orders.call(listOrders, request, seller)).items.map((item) => item.product.name)
  expect(await names({})).toEqual(['Almanac', 'Pro plan'])
  for (const narrowed of [
    { product_id: almanac.id },
    { discount_id: [discount.id] },
    { checkout_id: checkout.id },
    { metadata: { cart: '7', gift: ['false', 'true'] } },
  ]) {
    expect(await names(narrowed)).toEqual(['Almanac'])
  }
  expect(await names({ customer_id: order.customer_id })).toEqual(['Pro plan'])
  expect(await names({ product_billing_type: 'recurring' })).toEqual([])
  expect(await names({ metadata: { cart: '7', gift: 'false' } })).toEqual([])
  const first = async (sorting: string[]) => (await names({ sorting }))[0]
  for (const word of ['amount', 'net_amount', '-customer', 'product', 'discount', '-created_at', 'subscription']) {
    expect([word, await first([word, 'product'])]).toEqual([word, 'Almanac'])
  }
  for (const word of ['-amount', 'customer', '-product', 'created_at']) expect([word, await first([word])]).toEqual([word, 'Pro plan'])
})

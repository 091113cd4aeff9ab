import { randomUUID } from 'node:crypto'
import {
  createCheckoutLink,
  deleteCheckoutLink,
  getCheckoutLink,
  listCheckoutLinks,
  openCheckoutLink,
  updateCheckoutLink,
} from '@quittance/contracts/checkout-links'
import { checkoutCreated, getCheckout } from '@quittance/contracts/checkouts'
import { createDiscount, deleteDiscount } from '@quittance/contracts/discounts'
import { RequestValidationError, ResourceNotFound, TooManyRequests } from '@quittance/contracts/errors'
import { organizationUpdated } from '@quittance/contracts/organizations'
import { createProduct, updateProduct } from '@quittance/contracts/products'
import { ResourceUnavailable } from '@quittance/contracts/subscriptions'
import { organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { buildOrganization, startOrders, type OrdersUnderTest, type Shop } from './start-orders.ts'

const anonymous = { kind: 'anonymous' } as const
const half = { name: 'Half', type: 'percentage', basis_points: 5000, duration: 'once' } as const

function sell(orders: OrdersUnderTest, { seller }: Shop, price: Parameters<typeof buildPrice>[0] = {}) {
  return orders.call(createProduct, { name: 'Atlas', recurring_interval: null, prices: [buildPrice(price)] }, seller)
}

const buildPrice = (price: { minimum_amount?: number }) =>
  'minimum_amount' in price ? { amount_type: 'custom' as const, ...price } : { amount_type: 'fixed' as const, price_amount: 1500 }

test('a link names products by list, by id or by price, and is listed, changed and deleted', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const { seller, product } = shop
  const atlas = await sell(orders, shop)
  const made = await orders.call(
    createCheckoutLink,
    { products: [atlas.id, product.id, atlas.id], label: 'Spring', metadata: { a: 1 } },
    seller,
  )
  expect(made).toMatchObject({ label: 'Spring', metadata: { a: 1 }, allow_discount_codes: true, discount: null, success_url: null })
  expect(made.products.map(({ id }) => id)).toEqual([atlas.id, product.id])
  expect(made.url).toBe(`http://127.0.0.1:8080/buy/${made.client_secret}`)
  expect(await orders.call(getCheckoutLink, { id: made.id }, seller)).toEqual(made)
  const byPrice = await orders.call(createCheckoutLink, { product_price_id: product.prices[0]?.id ?? '' }, seller)
  const byId = await orders.call(createCheckoutLink, { product_id: product.id }, seller)
  for (const link of [byPrice, byId]) expect(link.products.map(({ id }) => id)).toEqual([product.id])
  const { items } = await orders.call(listCheckoutLinks, { product_id: atlas.id }, seller)
  expect(items).toEqual([made])
  const change = { id: made.id, label: null, products: [product.id], success_url: 'https://shop.example/{CHECKOUT_ID}' }
  expect(await orders.call(updateCheckoutLink, change, seller)).toMatchObject({ label: null, products: [{ id: product.id }] })
  await orders.call(deleteCheckoutLink, { id: made.id }, seller)
  await expect(orders.call(getCheckoutLink, { id: made.id }, seller)).rejects.toThrow(ResourceNotFound)
  await expect(orders.call(openCheckoutLink, { client_secret: made.client_secret }, anonymous)).rejects.toThrow(ResourceNotFound)
  expect((await orders.call(listCheckoutLinks, { sorting: ['label'] }, seller)).items).toHaveLength(2)
})

test('a link of another organization is not found, and takes neither its products nor its discounts', async () => {
  await using orders = await startOrders()
  const { seller, product } = await orders.shop()
  const { id } = await orders.call(createCheckoutLink, { products: [product.id] }, seller)
  const other = await orders.shop()
  for (const stranger of [other.seller, organizationCaller(randomUUID())]) {
    await expect(orders.call(getCheckoutLink, { id }, stranger)).rejects.toThrow(ResourceNotFound)
    await expect(orders.call(updateCheckoutLink, { id, label: 'Mine' }, stranger)).rejects.toThrow(ResourceNotFound)
    await expect(orders.call(deleteCheckoutLink, { id }, stranger)).rejects.toThrow(ResourceNotFound)
    await expect(orders.call(createCheckoutLink, { products: [product.id] }, stranger)).rejects.toThrow(/products\.0/)
    const price = product.prices[0]?.id ?? ''
    await expect(orders.call(createCheckoutLink, { product_price_id: price }, stranger)).rejects.toThrow(/product_price_id/)
  }
  expect((await orders.call(listCheckoutLinks, {}, other.seller)).items).toEqual([])
  const discount = await orders.call(createDiscount, half, other.seller)
  for (const wrong of [{ discount_id: discount.id }, { products: [other.product.id] }, { products: [randomUUID()] }]) {
    await expect(orders.call(updateCheckoutLink, { id, ...wrong }, seller)).rejects.toThrow(RequestValidationError)
    await expect(orders.call(createCheckoutLink, { products: [product.id], ...wrong }, seller)).rejects.toThrow(RequestValidationError)
  }
  await expect(orders.call(createCheckoutLink, {}, seller)).rejects.toThrow(/products.*Field required/)
  expect(await orders.rows('select from checkout_links')).toHaveLength(1)
})

test('each visit makes an open checkout with the settings of the link and what the visitor brings', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const { seller, product } = shop
  const chosen = await sell(orders, shop, { minimum_amount: 700 })
  const discount = await orders.call(createDiscount, half, seller)
  const named = await orders.call(createDiscount, { ...half, basis_points: 1000, code: 'SPRING' }, seller)
  const settings = { metadata: { campaign: 'spring' }, success_url: 'https://shop.example/thanks', require_billing_address: true }
  const link = await orders.call(createCheckoutLink, { products: [product.id, chosen.id], discount_id: discount.id, ...settings }, seller)
  const open = (request: object = {}) => orders.call(openCheckoutLink, { client_secret: link.client_secret, ...request }, anonymous)
  const checkout = await open()
  expect(checkout).toMatchObject({ status: 'open', product_id: product.id, discount_amount: 2100, require_billing_address: true })
  expect(checkout).toMatchObject({
    customer_id: null,
    customer_email: null,
    embed_origin: null,
    success_url: 'https://shop.example/thanks',
  })
  expect(await orders.call(getCheckout, { id: checkout.id }, seller)).toMatchObject({ metadata: { campaign: 'spring' } })
  expect((await orders.nextEvent(checkoutCreated)).id).toBe(checkout.id)
  const buyer = { customer_email: 'ada@example.com', customer_name: 'Ada' }
  const second = await open({ product_id: chosen.id, amount: 900, discount_code: 'spring', ...buyer })
  expect(second).toMatchObject({ product_id: chosen.id, amount: 900, discount_id: named.id, ...buyer })
  expect(second.client_secret).not.toBe(checkout.client_secret)
  const before = await orders.rows('select from checkouts')
  for (const [field, value] of [
    ['product_id', randomUUID()],
    ['amount', 699],
    ['discount_code', 'NOBODY'],
    ['customer_email', 'nobody'],
  ] as const) {
    const wrong = open({ ...(field === 'amount' && { product_id: chosen.id }), [field]: value })
    await expect(wrong).rejects.toThrow(`body.${field}: `)
  }
  expect(await orders.rows('select from checkouts')).toHaveLength(before.length)
  // A discount that has ended is no reason to sell nothing.
  await orders.call(deleteDiscount, { id: discount.id }, seller)
  expect(await open()).toMatchObject({ discount_id: null, discount_amount: 0 })
  await orders.call(updateCheckoutLink, { id: link.id, allow_discount_codes: false }, seller)
  expect(await open({ discount_code: 'NOBODY' })).toMatchObject({ discount_id: null, allow_discount_codes: false })
})

test('archived products are not offered; a link without any product for sale is 410', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const { seller, product } = shop
  const atlas = await sell(orders, shop)
  const { client_secret } = await orders.call(createCheckoutLink, { products: [product.id, atlas.id] }, seller)
  await orders.call(updateProduct, { id: product.id, is_archived: true }, seller)
  expect(await orders.call(openCheckoutLink, { client_secret }, anonymous)).toMatchObject({ product_id: atlas.id })
  await expect(orders.call(openCheckoutLink, { client_secret, product_id: product.id }, anonymous)).rejects.toThrow(/product_id/)
  await expect(orders.call(createCheckoutLink, { products: [product.id] }, seller)).rejects.toThrow(/archived/)
  await orders.call(updateProduct, { id: atlas.id, is_archived: true }, seller)
  await expect(orders.call(openCheckoutLink, { client_secret }, anonymous)).rejects.toThrow(ResourceUnavailable)
  await expect(orders.call(openCheckoutLink, { client_secret: 'qt_cl_none' }, anonymous)).rejects.toThrow(ResourceNotFound)
})

test('one network opens ten checkouts a minute at a seller, also at once; others can buy', async () => {
  await using orders = await startOrders()
  const { seller, product } = await orders.shop()
  const { client_secret } = await orders.call(createCheckoutLink, { products: [product.id] }, seller)
  const visit = (network: string) => orders.call(openCheckoutLink, { client_secret }, { kind: 'anonymous', network })
  const tries = await Promise.allSettled(Array.from({ length: 14 }, () => visit('203.0.113.7')))
  const rejections = tries.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
  expect(rejections).toHaveLength(4)
  for (const error of rejections) {
    expect(error).toBeInstanceOf(TooManyRequests)
    expect(error).toMatchObject({ status: 429 })
  }
  expect(await visit('203.0.113.8')).toMatchObject({ status: 'open' })
  expect(await orders.rows('select from checkouts')).toHaveLength(11)
})

test('a checkout of a link is framed by an origin that the seller lists, and by no other', async () => {
  await using orders = await startOrders()
  const { seller, product, organizationId } = await orders.shop()
  const { client_secret } = await orders.call(createCheckoutLink, { products: [product.id] }, seller)
  const organization = buildOrganization(organizationId)
  const page_settings = { ...organization.page_settings, embed_origins: ['https://shop.example'] }
  await orders.emit(organizationUpdated, { ...organization, page_settings }, { organizationId, aggregateId: organizationId })
  const open = (embed_origin: string) => orders.call(openCheckoutLink, { client_secret, embed_origin }, anonymous)
  await eventually(async () => expect(await open('https://shop.example')).toMatchObject({ embed_origin: 'https://shop.example' }))
  for (const origin of ['https://evil.example', 'https://shop.example/', '*'])
    expect(await open(origin)).toMatchObject({ embed_origin: null })
})

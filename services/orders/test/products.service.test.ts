import { randomUUID } from 'node:crypto'
import { RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import type { RequestInput } from '@quittance/contracts/operation'
import { getOrder } from '@quittance/contracts/orders'
import { createProduct, getProduct, listProducts, productCreated, productUpdated, updateProduct } from '@quittance/contracts/products'
import { organizationCaller, userCaller } from '@quittance/testing/callers'
import { expect, test } from 'vitest'
import { startOrders } from './start-orders.ts'

const draft = { name: 'Team plan', recurring_interval: null, prices: [{ amount_type: 'fixed' as const, price_amount: 9900 }] }

test('creates a product with its price, publishes it and finds it again', async () => {
  await using orders = await startOrders()
  const seller = organizationCaller(randomUUID())
  const product = await orders.call(createProduct, { ...draft, metadata: { tier: 2 } }, seller)
  expect(product.prices).toMatchObject([{ amount_type: 'fixed', price_amount: 9900, price_currency: 'usd', product_id: product.id }])
  expect(await orders.nextEvent(productCreated)).toEqual(product)
  expect(await orders.call(getProduct, { id: product.id }, seller)).toEqual(product)
})

test('a user must name an organization, and only one of theirs', async () => {
  await using orders = await startOrders()
  const mine = randomUUID()
  const person = userCaller({ userId: randomUUID(), organizationIds: [mine] })
  expect(await orders.call(createProduct, { ...draft, organization_id: mine }, person)).toMatchObject({ organization_id: mine })
  await expect(orders.call(createProduct, draft, person)).rejects.toThrow(RequestValidationError)
  await expect(orders.call(createProduct, { ...draft, organization_id: randomUUID() }, person)).rejects.toThrow(RequestValidationError)
  await expect(orders.call(createProduct, { ...draft, organization_id: mine }, organizationCaller(mine))).rejects.toThrow(/disallowed/)
})

test('a rejected product writes nothing', async () => {
  await using orders = await startOrders()
  const bad = { ...draft, prices: [{ amount_type: 'fixed' as const, price_amount: 49 }] }
  await expect(orders.call(createProduct, bad, organizationCaller(randomUUID()))).rejects.toThrow(RequestValidationError)
  expect(await orders.rows('select from products')).toHaveLength(0)
  expect(await orders.rows('select from outbox_messages')).toHaveLength(0)
})

test('another organization does not learn that the product exists', async () => {
  await using orders = await startOrders()
  const owner = organizationCaller(randomUUID())
  const stranger = organizationCaller(randomUUID())
  const { id } = await orders.call(createProduct, draft, owner)
  await expect(orders.call(getProduct, { id }, stranger)).rejects.toThrow(ResourceNotFound)
  await expect(orders.call(updateProduct, { id, name: 'Mine now' }, stranger)).rejects.toThrow(ResourceNotFound)
  expect((await orders.call(listProducts, {}, stranger)).items).toEqual([])
  expect(await orders.call(getProduct, { id }, owner)).toMatchObject({ name: 'Team plan' })
})

test('changes only the keys that are present', async () => {
  await using orders = await startOrders()
  const seller = organizationCaller(randomUUID())
  const { id } = await orders.call(createProduct, { ...draft, description: 'For teams' }, seller)
  const changed = await orders.call(updateProduct, { id, is_archived: true }, seller)
  expect(changed).toMatchObject({ name: 'Team plan', description: 'For teams', is_archived: true })
  expect(changed.modified_at).not.toBeNull()
  expect(await orders.nextEvent(productUpdated)).toEqual(changed)
})

test('keeps a named price, archives the others, and existing orders keep theirs', async () => {
  await using orders = await startOrders()
  const { order, product, seller } = await orders.paidOrder({ billed: false })
  const { id, prices } = product
  const change = async (wanted: RequestInput<typeof updateProduct>['prices']) =>
    (await orders.call(updateProduct, { id, prices: wanted }, seller)).prices
  expect(await change([{ id: prices[0]?.id ?? '' }])).toEqual(prices)
  const dearer = await change([{ amount_type: 'fixed', price_amount: 5000 }])
  expect(dearer).toMatchObject([{ amount_type: 'fixed', price_amount: 5000, price_currency: 'usd', is_archived: false }])
  expect(await orders.nextEvent(productUpdated)).toMatchObject({ prices })
  expect(await orders.nextEvent(productUpdated)).toMatchObject({ prices: dearer })
  expect(await change([{ amount_type: 'free' }])).toMatchObject([{ amount_type: 'free', product_id: id }])
  const { product_price } = await orders.call(getOrder, { id: order.id }, seller)
  expect(product_price).toMatchObject({ id: prices[0]?.id, price_amount: 4200, is_archived: true })
  expect(await orders.rows('select from product_prices where product_id = $1', [id])).toHaveLength(3)
})

test('a product has one price, also after concurrent changes', async () => {
  await using orders = await startOrders()
  const seller = organizationCaller(randomUUID())
  const { id } = await orders.call(createProduct, draft, seller)
  const set = (price_amount: number) => orders.call(updateProduct, { id, prices: [{ amount_type: 'fixed', price_amount }] }, seller)
  await Promise.all([set(100), set(200), set(300)])
  expect(await orders.rows('select from product_prices where not is_archived')).toHaveLength(1)
  expect((await orders.call(getProduct, { id }, seller)).prices).toHaveLength(1)
})

test('rejects foreign, archived, missing and several prices and another interval, unchanged', async () => {
  await using orders = await startOrders()
  const seller = organizationCaller(randomUUID())
  const product = await orders.call(createProduct, { ...draft, recurring_interval: 'month' }, seller)
  const other = await orders.call(createProduct, draft, seller)
  const { id } = product
  const change = (request: object) => orders.call(updateProduct, { id, ...request }, seller)
  const foreign = change({ name: 'Renamed', prices: [{ id: other.prices[0]?.id }] })
  await expect(foreign).rejects.toMatchObject({ body: { detail: [{ loc: ['body', 'prices', 0], type: 'value_error' }] } })
  const fixed = { amount_type: 'fixed', price_amount: 100 }
  for (const prices of [[], [fixed, fixed]]) await expect(change({ prices })).rejects.toThrow(RequestValidationError)
  await expect(change({ recurring_interval: 'year' })).rejects.toThrow(/recurring_interval/)
  expect(await orders.call(getProduct, { id }, seller)).toEqual(product)
  expect(await change({ recurring_interval: 'month', prices: [fixed] })).toMatchObject({ recurring_interval: 'month' })
  await expect(change({ prices: [{ id: product.prices[0]?.id }] })).rejects.toThrow('Price does not exist')
})

test('a page contains the total, also past the end', async () => {
  await using orders = await startOrders()
  const seller = organizationCaller(randomUUID())
  for (const name of ['Alpha', 'Bravo', 'Charlie']) await orders.call(createProduct, { ...draft, name }, seller)
  const first = await orders.call(listProducts, { limit: 2, sorting: 'name' }, seller)
  expect(first.items.map(({ name }) => name)).toEqual(['Alpha', 'Bravo'])
  expect(first.pagination).toEqual({ total_count: 3, max_page: 2 })
  expect(await orders.call(listProducts, { page: 9, limit: 2 }, seller)).toEqual({ items: [], pagination: { total_count: 3, max_page: 2 } })
})

test('a product without a recurring interval is sold once, and a missing key is named with its purpose', async () => {
  await using orders = await startOrders()
  const { seller } = await orders.shop()
  const prices = [{ amount_type: 'fixed', price_amount: 4200 }] as const
  expect(await orders.call(createProduct, { name: 'Almanac', prices: [...prices] }, seller)).toMatchObject({ recurring_interval: null })
  const incomplete = orders.call(createProduct, { name: 'Almanac' } as never, seller)
  await expect(incomplete).rejects.toThrow('Field required: What the buyer pays: one fixed, custom or free price.')
})

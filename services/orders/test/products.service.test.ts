import { randomUUID } from 'node:crypto'
import { RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import { createProduct, getProduct, listProducts, productCreated, productUpdated, updateProduct } from '@quittance/contracts/products'
import { organizationCaller, userCaller } from '@quittance/testing/callers'
import { expect, test } from 'vitest'
import { startOrders } from './start-orders.ts'

const draft = { name: 'Team plan', recurring_interval: null, prices: [{ amount_type: 'fixed' as const, price_amount: 9900 }] }

test('a product is created with its price, said, and found again', async () => {
  await using orders = await startOrders()
  const seller = organizationCaller(randomUUID())
  const product = await orders.call(createProduct, { ...draft, metadata: { tier: 2 } }, seller)
  expect(product.prices).toMatchObject([{ amount_type: 'fixed', price_amount: 9900, price_currency: 'usd', product_id: product.id }])
  expect(await orders.nextEvent(productCreated)).toEqual(product)
  expect(await orders.call(getProduct, { id: product.id }, seller)).toEqual(product)
})

test('a person names the organization, and only one of theirs', async () => {
  await using orders = await startOrders()
  const mine = randomUUID()
  const person = userCaller({ userId: randomUUID(), organizationIds: [mine] })
  expect(await orders.call(createProduct, { ...draft, organization_id: mine }, person)).toMatchObject({ organization_id: mine })
  await expect(orders.call(createProduct, draft, person)).rejects.toThrow(RequestValidationError)
  await expect(orders.call(createProduct, { ...draft, organization_id: randomUUID() }, person)).rejects.toThrow(RequestValidationError)
  await expect(orders.call(createProduct, { ...draft, organization_id: mine }, organizationCaller(mine))).rejects.toThrow(/disallowed/)
})

test('a refused product writes nothing', async () => {
  await using orders = await startOrders()
  const bad = { ...draft, prices: [{ amount_type: 'fixed' as const, price_amount: 49 }] }
  await expect(orders.call(createProduct, bad, organizationCaller(randomUUID()))).rejects.toThrow(RequestValidationError)
  expect(await orders.rows('select from products')).toHaveLength(0)
  expect(await orders.rows('select from outbox_messages')).toHaveLength(0)
})

test('another organization sees neither the product nor that it exists', async () => {
  await using orders = await startOrders()
  const owner = organizationCaller(randomUUID())
  const stranger = organizationCaller(randomUUID())
  const { id } = await orders.call(createProduct, draft, owner)
  await expect(orders.call(getProduct, { id }, stranger)).rejects.toThrow(ResourceNotFound)
  await expect(orders.call(updateProduct, { id, name: 'Mine now' }, stranger)).rejects.toThrow(ResourceNotFound)
  expect((await orders.call(listProducts, {}, stranger)).items).toEqual([])
  expect(await orders.call(getProduct, { id }, owner)).toMatchObject({ name: 'Team plan' })
})

test('only the keys that are present change', async () => {
  await using orders = await startOrders()
  const seller = organizationCaller(randomUUID())
  const { id } = await orders.call(createProduct, { ...draft, description: 'For teams' }, seller)
  const changed = await orders.call(updateProduct, { id, is_archived: true }, seller)
  expect(changed).toMatchObject({ name: 'Team plan', description: 'For teams', is_archived: true })
  expect(changed.modified_at).not.toBeNull()
  expect(await orders.nextEvent(productUpdated)).toEqual(changed)
})

test('a page says how many there are, also past the end', async () => {
  await using orders = await startOrders()
  const seller = organizationCaller(randomUUID())
  for (const name of ['Alpha', 'Bravo', 'Charlie']) await orders.call(createProduct, { ...draft, name }, seller)
  const first = await orders.call(listProducts, { limit: 2, sorting: 'name' }, seller)
  expect(first.items.map(({ name }) => name)).toEqual(['Alpha', 'Bravo'])
  expect(first.pagination).toEqual({ total_count: 3, max_page: 2 })
  expect(await orders.call(listProducts, { page: 9, limit: 2 }, seller)).toEqual({ items: [], pagination: { total_count: 3, max_page: 2 } })
})

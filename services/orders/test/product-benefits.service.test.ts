import { randomUUID } from 'node:crypto'
import { createBenefit } from '@quittance/contracts/benefits'
import { createCheckout } from '@quittance/contracts/checkouts'
import { getPortalOrganization } from '@quittance/contracts/customer-portal'
import { NotPermitted, RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import { createProduct, getProduct, listProducts, productUpdated, updateProductBenefits } from '@quittance/contracts/products'
import { organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { createBenefitShop } from './sell-benefits.ts'
import { startOrders } from './start-orders.ts'

test('replaces all benefits of a product in the given order and publishes the change', async () => {
  await using orders = await startOrders()
  const { seller, product, benefits } = await createBenefitShop(orders, ['Alpha', 'Bravo', 'Charlie'])
  const [alpha, bravo, charlie] = benefits.map(({ id }) => id) as [string, string, string]
  expect(product.benefits).toEqual(benefits)
  expect(await orders.nextEvent(productUpdated)).toEqual(product)
  const put = (ids: string[]) => orders.call(updateProductBenefits, { id: product.id, benefits: ids }, seller)
  const getNames = (changed: typeof product) => changed.benefits.map(({ description }) => description)
  const reordered = await put([charlie, alpha, charlie])
  expect(getNames(reordered)).toEqual(['Charlie', 'Alpha'])
  expect(reordered.modified_at).not.toBe(product.modified_at)
  expect(getNames(await put([bravo, charlie]))).toEqual(['Bravo', 'Charlie'])
  expect(getNames(await put([]))).toEqual([])
  expect(await orders.call(getProduct, { id: product.id }, seller)).toMatchObject({ benefits: [] })
})

test('concurrent changes of one product result in one of them, never in a mixture', async () => {
  await using orders = await startOrders()
  const { seller, product, benefits } = await createBenefitShop(orders, ['Alpha', 'Bravo'])
  const [alpha, bravo] = benefits.map(({ id }) => id) as [string, string]
  const choices = [[alpha], [bravo], [alpha, bravo], [bravo, alpha]]
  const tries = choices.map((ids) => orders.call(updateProductBenefits, { id: product.id, benefits: ids }, seller))
  await Promise.all(tries)
  const now = (await orders.call(getProduct, { id: product.id }, seller)).benefits.map(({ id }) => id)
  expect(choices).toContainEqual(now)
})

test('a buyer sees the benefits of a product without the seller’s data', async () => {
  await using orders = await startOrders()
  const { seller, product, benefits } = await createBenefitShop(orders, ['Alpha'])
  const { metadata: _, properties: __, ...shown } = benefits[0] as (typeof benefits)[number]
  const { is_tax_applicable: ___, ...publicly } = shown as typeof shown & { is_tax_applicable: boolean }
  const checkout = await orders.call(createCheckout, { products: [product.id] }, seller)
  expect(checkout.product.benefits).toEqual([publicly])
  const shop = await eventually(() => orders.call(getPortalOrganization, { slug: 'acme-books' }, { kind: 'anonymous' }))
  expect(shop.products[0]?.benefits).toEqual([publicly])
})

test('names the position of an unknown or foreign benefit and changes nothing', async () => {
  await using orders = await startOrders()
  const { seller, product, benefits } = await createBenefitShop(orders, ['Alpha'])
  const draft = { type: 'custom' as const, description: 'Not yours', properties: {} }
  const foreign = await orders.call(createBenefit, draft, organizationCaller(randomUUID()))
  const own = benefits[0]?.id ?? ''
  for (const unknown of [foreign.id, randomUUID()]) {
    const rejection = orders.call(updateProductBenefits, { id: product.id, benefits: [own, unknown] }, seller)
    await expect(rejection).rejects.toThrow(RequestValidationError)
    await expect(rejection).rejects.toMatchObject({ body: { detail: [{ loc: ['body', 'benefits', 1], type: 'value_error' }] } })
  }
  expect(await orders.call(getProduct, { id: product.id }, seller)).toEqual(product)
})

test('a benefit that is not selectable is neither added nor removed, and may stay', async () => {
  await using orders = await startOrders()
  const { seller, product, benefits } = await createBenefitShop(orders, ['Alpha', 'Bravo'])
  const [alpha, bravo] = benefits.map(({ id }) => id) as [string, string]
  const put = (ids: string[]) => orders.call(updateProductBenefits, { id: product.id, benefits: ids }, seller)
  await orders.rows('update benefits set selectable = false where id = $1', [bravo])
  await expect(put([alpha])).rejects.toThrow(NotPermitted)
  expect((await put([bravo])).benefits).toMatchObject([{ id: bravo, selectable: false }])
  await orders.rows('update benefits set selectable = not selectable')
  await expect(put([bravo, alpha])).rejects.toThrow(NotPermitted)
})

test('returns not found for another organization’s product', async () => {
  await using orders = await startOrders()
  const { product } = await createBenefitShop(orders, ['Alpha'])
  const stranger = organizationCaller(randomUUID())
  await expect(orders.call(updateProductBenefits, { id: product.id, benefits: [] }, stranger)).rejects.toThrow(ResourceNotFound)
})

test('lists products by benefit and metadata, sorted by price', async () => {
  await using orders = await startOrders()
  const { seller, benefits } = await createBenefitShop(orders, ['Alpha'])
  const common = { recurring_interval: null }
  await orders.call(
    createProduct,
    { ...common, name: 'Atlas', prices: [{ amount_type: 'fixed', price_amount: 900 }], metadata: { shelf: 'A' } },
    seller,
  )
  await orders.call(createProduct, { ...common, name: 'Sample', prices: [{ amount_type: 'free' }] }, seller)
  const names = async (request: object) => (await orders.call(listProducts, request, seller)).items.map(({ name }) => name)
  expect(await names({ benefit_id: benefits[0]?.id })).toEqual(['Pro plan'])
  expect(await names({ benefit_id: [randomUUID()] })).toEqual([])
  expect(await names({ metadata: { shelf: 'A' } })).toEqual(['Atlas'])
  expect(await names({ sorting: 'price_amount' })).toEqual(['Atlas', 'Pro plan', 'Sample'])
  expect(await names({ sorting: ['-price_amount'] })).toEqual(['Pro plan', 'Atlas', 'Sample'])
  expect(await names({ sorting: ['-price_amount_type', 'name'] })).toEqual(['Sample', 'Atlas', 'Pro plan'])
})

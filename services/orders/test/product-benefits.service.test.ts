import { randomUUID } from 'node:crypto'
import { createBenefit } from '@quittance/contracts/benefits'
import { createCheckout } from '@quittance/contracts/checkouts'
import { getPortalOrganization } from '@quittance/contracts/customer-portal'
import { NotPermitted, RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import { createProduct, getProduct, listProducts, productUpdated, updateProductBenefits } from '@quittance/contracts/products'
import { organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { shopWithBenefits } from './sell-benefits.ts'
import { startOrders } from './start-orders.ts'

test('a product has its benefits in the order they were given, all of them anew each time, and says so', async () => {
  await using orders = await startOrders()
  const { seller, product, benefits } = await shopWithBenefits(orders, ['Alpha', 'Bravo', 'Charlie'])
  const [alpha, bravo, charlie] = benefits.map(({ id }) => id) as [string, string, string]
  expect(product.benefits).toEqual(benefits)
  expect(await orders.nextEvent(productUpdated)).toEqual(product)
  const put = (ids: string[]) => orders.call(updateProductBenefits, { id: product.id, benefits: ids }, seller)
  const namesOf = (changed: typeof product) => changed.benefits.map(({ description }) => description)
  const reordered = await put([charlie, alpha, charlie])
  expect(namesOf(reordered)).toEqual(['Charlie', 'Alpha'])
  expect(reordered.modified_at).not.toBe(product.modified_at)
  expect(namesOf(await put([bravo, charlie]))).toEqual(['Bravo', 'Charlie'])
  expect(namesOf(await put([]))).toEqual([])
  expect(await orders.call(getProduct, { id: product.id }, seller)).toMatchObject({ benefits: [] })
})

test('changes of the same product at once come out as one of them, never as a mixture', async () => {
  await using orders = await startOrders()
  const { seller, product, benefits } = await shopWithBenefits(orders, ['Alpha', 'Bravo'])
  const [alpha, bravo] = benefits.map(({ id }) => id) as [string, string]
  const choices = [[alpha], [bravo], [alpha, bravo], [bravo, alpha]]
  const tries = choices.map((ids) => orders.call(updateProductBenefits, { id: product.id, benefits: ids }, seller))
  await Promise.all(tries)
  const now = (await orders.call(getProduct, { id: product.id }, seller)).benefits.map(({ id }) => id)
  expect(choices).toContainEqual(now)
})

test('a buyer sees what a product gives, and not what the seller noted about it', async () => {
  await using orders = await startOrders()
  const { seller, product, benefits } = await shopWithBenefits(orders, ['Alpha'])
  const { metadata: _, properties: __, ...shown } = benefits[0] as (typeof benefits)[number]
  const { is_tax_applicable: ___, ...publicly } = shown as typeof shown & { is_tax_applicable: boolean }
  const checkout = await orders.call(createCheckout, { products: [product.id] }, seller)
  expect(checkout.product.benefits).toEqual([publicly])
  const shop = await eventually(() => orders.call(getPortalOrganization, { slug: 'acme-books' }, { kind: 'anonymous' }))
  expect(shop.products[0]?.benefits).toEqual([publicly])
})

test('a benefit of another organization, or none, is named by its place, and nothing changes', async () => {
  await using orders = await startOrders()
  const { seller, product, benefits } = await shopWithBenefits(orders, ['Alpha'])
  const draft = { type: 'custom' as const, description: 'Not yours', properties: {} }
  const foreign = await orders.call(createBenefit, draft, organizationCaller(randomUUID()))
  const own = benefits[0]?.id ?? ''
  for (const unknown of [foreign.id, randomUUID()]) {
    const refused = orders.call(updateProductBenefits, { id: product.id, benefits: [own, unknown] }, seller)
    await expect(refused).rejects.toThrow(RequestValidationError)
    await expect(refused).rejects.toMatchObject({ body: { detail: [{ loc: ['body', 'benefits', 1], type: 'value_error' }] } })
  }
  expect(await orders.call(getProduct, { id: product.id }, seller)).toEqual(product)
})

test('what is not selectable is neither added nor taken away, and may stay', async () => {
  await using orders = await startOrders()
  const { seller, product, benefits } = await shopWithBenefits(orders, ['Alpha', 'Bravo'])
  const [alpha, bravo] = benefits.map(({ id }) => id) as [string, string]
  const put = (ids: string[]) => orders.call(updateProductBenefits, { id: product.id, benefits: ids }, seller)
  await orders.rows('update benefits set selectable = false where id = $1', [bravo])
  await expect(put([alpha])).rejects.toThrow(NotPermitted)
  expect((await put([bravo])).benefits).toMatchObject([{ id: bravo, selectable: false }])
  await orders.rows('update benefits set selectable = not selectable')
  await expect(put([bravo, alpha])).rejects.toThrow(NotPermitted)
})

test('another organization’s product is not found', async () => {
  await using orders = await startOrders()
  const { product } = await shopWithBenefits(orders, ['Alpha'])
  const stranger = organizationCaller(randomUUID())
  await expect(orders.call(updateProductBenefits, { id: product.id, benefits: [] }, stranger)).rejects.toThrow(ResourceNotFound)
})

test('products are listed by benefit and metadata, and sorted by price', async () => {
  await using orders = await startOrders()
  const { seller, benefits } = await shopWithBenefits(orders, ['Alpha'])
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

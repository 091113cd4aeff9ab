import { randomUUID } from 'node:crypto'
import { listBenefitGrants } from '@quittance/contracts/benefit-grants'
import {
  benefitCreated,
  benefitUpdated,
  createBenefit,
  deleteBenefit,
  getBenefit,
  listBenefits,
  updateBenefit,
} from '@quittance/contracts/benefits'
import { NotPermitted, RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import { getProduct, productUpdated } from '@quittance/contracts/products'
import { organizationCaller, userCaller } from '@quittance/testing/callers'
import { expect, test } from 'vitest'
import { createBenefitShop } from './sell-benefits.ts'
import { startOrders } from './start-orders.ts'

const draft = { type: 'custom' as const, description: 'A call every month', properties: { note: 'Book it here.' } }

test('creates a benefit, publishes it and finds it again', async () => {
  await using orders = await startOrders()
  const seller = organizationCaller(randomUUID())
  const benefit = await orders.call(createBenefit, { ...draft, metadata: { tier: 2 } }, seller)
  expect(benefit).toMatchObject({ ...draft, metadata: { tier: 2 }, selectable: true, deletable: true, is_tax_applicable: false })
  expect(await orders.nextEvent(benefitCreated)).toEqual(benefit)
  expect(await orders.call(getBenefit, { id: benefit.id }, seller)).toEqual(benefit)
  expect(await orders.call(createBenefit, { ...draft, properties: {} }, seller)).toMatchObject({ properties: { note: null } })
})

test('a user must name an organization, and only one of theirs', async () => {
  await using orders = await startOrders()
  const mine = randomUUID()
  const person = userCaller({ userId: randomUUID(), organizationIds: [mine] })
  expect(await orders.call(createBenefit, { ...draft, organization_id: mine }, person)).toMatchObject({ organization_id: mine })
  await expect(orders.call(createBenefit, draft, person)).rejects.toThrow(/organization_id/)
  await expect(orders.call(createBenefit, { ...draft, organization_id: randomUUID() }, person)).rejects.toThrow(RequestValidationError)
})

test.each(['discord', 'github_repository', 'downloadables', 'meter_credit'] as const)(
  'rejects a benefit of type %s, which cannot be granted, and names the type',
  async (type) => {
    await using orders = await startOrders()
    const rejection = orders.call(createBenefit, { type, description: 'Something else', properties: {} }, organizationCaller(randomUUID()))
    await expect(rejection).rejects.toMatchObject({ body: { detail: [{ loc: ['body', 'type'], msg: expect.stringContaining(type) }] } })
    expect(await orders.rows('select from benefits')).toHaveLength(0)
  },
)

test('a description has 3 to 42 characters, whatever characters', async () => {
  await using orders = await startOrders()
  const seller = organizationCaller(randomUUID())
  for (const description of ['ab', '  a  ', 'x'.repeat(43)]) {
    await expect(orders.call(createBenefit, { ...draft, description }, seller)).rejects.toThrow(/description/)
  }
  for (const description of ['abc', 'x'.repeat(42), '🎓🎓🎓', '🎓'.repeat(42)]) {
    expect(await orders.call(createBenefit, { ...draft, description }, seller)).toMatchObject({ description })
  }
})

test('changes only the keys that are present and publishes the change', async () => {
  await using orders = await startOrders()
  const seller = organizationCaller(randomUUID())
  const { id } = await orders.call(createBenefit, { ...draft, metadata: { tier: 2 } }, seller)
  const renamed = await orders.call(updateBenefit, { id, type: 'custom', description: 'Two calls' }, seller)
  expect(renamed).toMatchObject({ description: 'Two calls', properties: draft.properties, metadata: { tier: 2 } })
  expect(renamed.modified_at).not.toBeNull()
  expect(await orders.nextEvent(benefitUpdated)).toEqual(renamed)
  const emptied = await orders.call(updateBenefit, { id, type: 'custom', properties: { note: null }, metadata: {} }, seller)
  expect(emptied).toMatchObject({ description: 'Two calls', properties: { note: null }, metadata: {} })
  const nothing = { id, type: 'custom' as const, description: null, properties: null }
  expect(await orders.call(updateBenefit, nothing, seller)).toMatchObject({ description: 'Two calls', properties: { note: null } })
})

test('requires the type and rejects a change of it', async () => {
  await using orders = await startOrders()
  const seller = organizationCaller(randomUUID())
  const benefit = await orders.call(createBenefit, draft, seller)
  for (const type of ['license_keys', 'discord'] as const) {
    const rejection = orders.call(updateBenefit, { id: benefit.id, type, description: 'Another' }, seller)
    await expect(rejection).rejects.toMatchObject({ body: { detail: [{ loc: ['body', 'type'], type: 'value_error' }] } })
  }
  const untyped = { id: benefit.id, description: 'Another' } as never
  await expect(orders.call(updateBenefit, untyped, seller)).rejects.toThrow(RequestValidationError)
  expect(await orders.call(getBenefit, { id: benefit.id }, seller)).toEqual(benefit)
})

test('another organization does not learn that the benefit exists', async () => {
  await using orders = await startOrders()
  const { id } = await orders.call(createBenefit, draft, organizationCaller(randomUUID()))
  const stranger = organizationCaller(randomUUID())
  await expect(orders.call(getBenefit, { id }, stranger)).rejects.toThrow(ResourceNotFound)
  await expect(orders.call(updateBenefit, { id, type: 'custom', description: 'Mine now' }, stranger)).rejects.toThrow(ResourceNotFound)
  await expect(orders.call(deleteBenefit, { id }, stranger)).rejects.toThrow(ResourceNotFound)
  await expect(orders.call(listBenefitGrants, { id }, stranger)).rejects.toThrow(ResourceNotFound)
  expect((await orders.call(listBenefits, {}, stranger)).items).toEqual([])
})

test('lists benefits by every filter, sorted by every property', async () => {
  await using orders = await startOrders()
  const organizationId = randomUUID()
  const seller = organizationCaller(organizationId)
  const alpha = await orders.call(createBenefit, { ...draft, description: 'Alpha', metadata: { color: 'red', size: 1 } }, seller)
  const bravo = await orders.call(createBenefit, { ...draft, description: 'Bravo', metadata: { color: 'blue' } }, seller)
  const list = async (request: object) => (await orders.call(listBenefits, request, seller)).items.map(({ description }) => description)
  expect(await list({})).toEqual(['Bravo', 'Alpha'])
  expect(await list({ sorting: 'created_at' })).toEqual(['Alpha', 'Bravo'])
  expect(await list({ sorting: ['-description'] })).toEqual(['Bravo', 'Alpha'])
  expect(await list({ query: 'ALPH' })).toEqual(['Alpha'])
  expect(await list({ query: '%' })).toEqual([])
  expect(await list({ type: 'custom', limit: 1 })).toEqual(['Bravo'])
  expect(await list({ type: ['discord', 'license_keys'] })).toEqual([])
  expect(await list({ metadata: { color: ['red', 'green'], size: '1' } })).toEqual(['Alpha'])
  expect(await list({ organization_id: [organizationId] })).toHaveLength(2)
  expect(await list({ organization_id: randomUUID() })).toEqual([])
  await orders.call(deleteBenefit, { id: alpha.id }, seller)
  expect(await list({})).toEqual([bravo.description])
})

test('a deleted benefit disappears, leaves its products, and both changes are published', async () => {
  await using orders = await startOrders()
  const { seller, product, benefits } = await createBenefitShop(orders, ['Alpha', 'Bravo'])
  await orders.nextEvent(productUpdated)
  const [alpha, bravo] = benefits
  const id = alpha?.id ?? ''
  expect(await orders.call(deleteBenefit, { id }, seller)).toBeNull()
  expect(await orders.nextEvent(benefitUpdated)).toMatchObject({ id, description: 'Alpha' })
  expect(await orders.nextEvent(productUpdated)).toMatchObject({ id: product.id, benefits: [{ id: bravo?.id }] })
  expect((await orders.call(getProduct, { id: product.id }, seller)).benefits).toEqual([bravo])
  await expect(orders.call(getBenefit, { id }, seller)).rejects.toThrow(ResourceNotFound)
  await expect(orders.call(deleteBenefit, { id }, seller)).rejects.toThrow(ResourceNotFound)
})

test('keeps a benefit that is not deletable', async () => {
  await using orders = await startOrders()
  const seller = organizationCaller(randomUUID())
  const { id } = await orders.call(createBenefit, draft, seller)
  await orders.rows('update benefits set deletable = false')
  await expect(orders.call(deleteBenefit, { id }, seller)).rejects.toThrow(NotPermitted)
  expect(await orders.call(getBenefit, { id }, seller)).toMatchObject({ deletable: false })
})

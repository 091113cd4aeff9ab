import { randomUUID } from 'node:crypto'
import { createDiscount, getDiscount, listDiscounts } from '@quittance/contracts/discounts'
import { RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import { organizationCaller } from '@quittance/testing/callers'
import { expect, test } from 'vitest'
import { startOrders } from './start-orders.ts'

const tenPercent = { name: 'Launch', type: 'percentage' as const, basis_points: 1000, duration: 'once' as const }

test('each kind of discount comes back as it was given', async () => {
  await using orders = await startOrders()
  const { seller, product } = await orders.shop()
  const percentage = await orders.call(createDiscount, { ...tenPercent, code: 'LAUNCH', products: [product.id] }, seller)
  expect(percentage).toMatchObject({
    basis_points: 1000,
    amount: null,
    code: 'LAUNCH',
    redemptions_count: 0,
    products: [{ id: product.id }],
  })
  const fixed = { name: 'Five off', type: 'fixed' as const, amount: 500, duration: 'repeating' as const, duration_in_months: 3 }
  expect(await orders.call(createDiscount, fixed, seller)).toMatchObject({
    amount: 500,
    currency: 'usd',
    duration_in_months: 3,
    basis_points: null,
  })
  expect(await orders.call(getDiscount, { id: percentage.id }, seller)).toEqual(percentage)
  expect((await orders.call(listDiscounts, { query: 'launch' }, seller)).items).toEqual([percentage])
})

test('a taken code, an unknown product and an end before the start are refused by name', async () => {
  await using orders = await startOrders()
  const seller = organizationCaller(randomUUID())
  await orders.call(createDiscount, { ...tenPercent, code: 'LAUNCH' }, seller)
  await expect(orders.call(createDiscount, { ...tenPercent, code: 'launch' }, seller)).rejects.toThrow(/code/)
  await expect(orders.call(createDiscount, { ...tenPercent, products: [randomUUID()] }, seller)).rejects.toThrow(/products/)
  const backwards = { ...tenPercent, starts_at: '2026-02-01T00:00:00Z', ends_at: '2026-01-01T00:00:00Z' }
  await expect(orders.call(createDiscount, backwards, seller)).rejects.toThrow(RequestValidationError)
})

test('another organization’s discount is not found', async () => {
  await using orders = await startOrders()
  const { id } = await orders.call(createDiscount, tenPercent, organizationCaller(randomUUID()))
  await expect(orders.call(getDiscount, { id }, organizationCaller(randomUUID()))).rejects.toThrow(ResourceNotFound)
})

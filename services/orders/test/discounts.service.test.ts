import { randomUUID } from 'node:crypto'
import { createDiscount, deleteDiscount, getDiscount, listDiscounts, updateDiscount } from '@quittance/contracts/discounts'
import { RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import { confirmCheckout, createCheckout, updateCheckoutByClient } from '@quittance/contracts/checkouts'
import { createProduct } from '@quittance/contracts/products'
import { organizationCaller } from '@quittance/testing/callers'
import { expect, test } from 'vitest'
import { startOrders } from './start-orders.ts'

const tenPercent = { name: 'Launch', type: 'percentage' as const, basis_points: 1000, duration: 'once' as const }

test('one of concurrent discounts gets a code, whatever its case, the others a field error', async () => {
  await using orders = await startOrders()
  const { seller } = await orders.shop()
  const codes = ['ONE', 'one', 'One', 'oNE', 'onE']
  const tries = await Promise.allSettled(codes.map((code) => orders.call(createDiscount, { ...tenPercent, code }, seller)))
  const rejections = tries.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
  expect(rejections).toHaveLength(codes.length - 1)
  for (const error of rejections) expect(error).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'code'] }] } })
})

test('returns each kind of discount as it was created', async () => {
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

test('rejects a taken code, an unknown product and an end before the start by field', async () => {
  await using orders = await startOrders()
  const seller = organizationCaller(randomUUID())
  await orders.call(createDiscount, { ...tenPercent, code: 'LAUNCH' }, seller)
  await expect(orders.call(createDiscount, { ...tenPercent, code: 'launch' }, seller)).rejects.toThrow(/code/)
  await expect(orders.call(createDiscount, { ...tenPercent, products: [randomUUID()] }, seller)).rejects.toThrow(/products/)
  const backwards = { ...tenPercent, starts_at: '2026-02-01T00:00:00Z', ends_at: '2026-01-01T00:00:00Z' }
  await expect(orders.call(createDiscount, backwards, seller)).rejects.toThrow(RequestValidationError)
})

test('returns not found for another organization’s discount', async () => {
  await using orders = await startOrders()
  const { id } = await orders.call(createDiscount, tenPercent, organizationCaller(randomUUID()))
  await expect(orders.call(getDiscount, { id }, organizationCaller(randomUUID()))).rejects.toThrow(ResourceNotFound)
})

test('changes dates, code, limit and products, and the value until the first redemption', async () => {
  await using orders = await startOrders()
  const { seller, product } = await orders.shop()
  const { id } = await orders.call(createDiscount, { ...tenPercent, code: 'LAUNCH' }, seller)
  const change = {
    id,
    name: 'Spring',
    code: 'SPRING',
    starts_at: '2026-01-01T00:00:00Z',
    ends_at: '2126-02-01T00:00:00Z',
    max_redemptions: 5,
    basis_points: 2000,
    currency: 'usd' as const,
    products: [product.id],
    metadata: { season: 'spring' },
  }
  const changed = await orders.call(updateDiscount, change, seller)
  expect(changed).toMatchObject({ name: 'Spring', code: 'SPRING', max_redemptions: 5, basis_points: 2000, products: [{ id: product.id }] })
  expect(await orders.call(updateDiscount, { id, code: null, ends_at: null, max_redemptions: null }, seller)).toMatchObject({
    code: null,
    ends_at: null,
    max_redemptions: null,
    basis_points: 2000,
  })
  await orders.rows('update discounts set redemptions_count = 3')
  for (const invalid of [
    { type: 'fixed' as const },
    { duration: 'forever' as const },
    { basis_points: 1 },
    { max_redemptions: 2 },
    { amount: 1 },
  ]) {
    await expect(orders.call(updateDiscount, { id, ...invalid }, seller)).rejects.toThrow(new RegExp(Object.keys(invalid)[0] as string))
  }
  expect(await orders.call(updateDiscount, { id, basis_points: 2000, type: 'percentage' }, seller)).toMatchObject({ basis_points: 2000 })
  await orders.call(createDiscount, { ...tenPercent, code: 'TAKEN' }, seller)
  await expect(orders.call(updateDiscount, { id, code: 'taken' }, seller)).rejects.toThrow(RequestValidationError)
})

test('a deleted discount is gone and unusable, its code is free; foreign ones stay', async () => {
  await using orders = await startOrders()
  const { seller, product } = await orders.shop()
  const { id } = await orders.call(createDiscount, { ...tenPercent, code: 'LAUNCH' }, seller)
  const stranger = organizationCaller(randomUUID())
  await expect(orders.call(deleteDiscount, { id }, stranger)).rejects.toThrow(ResourceNotFound)
  await expect(orders.call(updateDiscount, { id, name: 'x' }, stranger)).rejects.toThrow(ResourceNotFound)
  const { client_secret } = await orders.call(createCheckout, { products: [product.id], discount_id: id }, seller)
  await orders.call(deleteDiscount, { id }, seller)
  await expect(orders.call(getDiscount, { id }, seller)).rejects.toThrow(ResourceNotFound)
  await expect(orders.call(deleteDiscount, { id }, seller)).rejects.toThrow(ResourceNotFound)
  expect((await orders.call(listDiscounts, {}, seller)).items).toEqual([])
  const confirmation = { client_secret, customer_email: 'ada@example.com', confirmation_token_id: 'ctoken_ok' }
  await expect(orders.call(confirmCheckout, confirmation, { kind: 'anonymous' })).rejects.toThrow(/discount/)
  await expect(orders.call(confirmCheckout, { ...confirmation, discount_code: 'LAUNCH' }, { kind: 'anonymous' })).rejects.toThrow(
    /discount_code/,
  )
  expect(await orders.call(createDiscount, { ...tenPercent, code: 'launch' }, seller)).toMatchObject({ code: 'launch' })
})

test('a discount that cannot be redeemed is rejected with the reason', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const { product, seller } = shop
  const [before, after] = [new Date(Date.now() - 86_400_000).toISOString(), new Date(Date.now() + 86_400_000).toISOString()]
  const half = { name: 'Half', type: 'percentage' as const, basis_points: 5000, duration: 'once' as const }
  const other = await orders.call(createProduct, { name: 'Other', prices: [{ amount_type: 'free' }] }, seller)
  const reasons = [
    [{ starts_at: after }, `starts at ${after}`],
    [{ ends_at: before }, `ended at ${before}`],
    [{ products: [other.id] }, 'other products'],
    [{ type: 'fixed', amount: 100, currency: 'eur', basis_points: undefined }, 'in eur, and the price in usd'],
    [{ max_redemptions: 1 }, 'as often as allowed'],
  ] as const
  for (const [limit, reason] of reasons) {
    const { id } = await orders.call(createDiscount, { ...half, ...limit } as never, seller)
    if ('max_redemptions' in limit) await orders.rows('update discounts set redemptions_count = 1 where id = $1', [id])
    const checkout = orders.call(createCheckout, { products: [product.id], discount_id: id }, seller)
    await expect(checkout).rejects.toThrow(reason)
  }
  await expect(orders.call(createCheckout, { products: [product.id], discount_id: randomUUID() }, seller)).rejects.toThrow('does not exist')
})

test('a purchase of a free product redeems no discount, so that no buyer uses up a code for nothing', async () => {
  await using orders = await startOrders()
  const { seller, product } = await orders.shop()
  const prices = [{ amount_type: 'free' as const }]
  const free = await orders.call(createProduct, { name: 'Newsletter', recurring_interval: null, prices }, seller)
  const { id } = await orders.call(createDiscount, { ...tenPercent, code: 'LAUNCH', max_redemptions: 1 }, seller)
  const buyer = { kind: 'anonymous' } as const
  const open = (terms: object = {}) => orders.call(createCheckout, { products: [product.id, free.id], ...terms }, seller)
  const confirm = (client_secret: string, terms: object) =>
    orders.call(confirmCheckout, { client_secret, customer_email: `${randomUUID()}@example.com`, ...terms }, buyer)
  // The code is typed with the free product, or before it is chosen; or the seller gives the discount.
  const named = await open()
  const chosen = { product_id: free.id, discount_code: 'LAUNCH' }
  await expect(confirm(named.client_secret, chosen)).rejects.toThrow(/discount_code/)
  await expect(orders.call(updateCheckoutByClient, { client_secret: named.client_secret, ...chosen }, buyer)).rejects.toThrow(
    /discount_code/,
  )
  await orders.call(updateCheckoutByClient, { client_secret: named.client_secret, discount_code: 'LAUNCH' }, buyer)
  const given = await open({ discount_id: id })
  for (const { client_secret } of [named, given])
    expect(await confirm(client_secret, { product_id: free.id })).toMatchObject({ discount_id: null, total_amount: 0 })
  expect(await orders.call(getDiscount, { id }, seller)).toMatchObject({ redemptions_count: 0 })
  const { client_secret } = await open()
  expect(await confirm(client_secret, { discount_code: 'LAUNCH', confirmation_token_id: 'ctoken_ok' })).toMatchObject({ discount_id: id })
})

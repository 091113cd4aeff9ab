import { createBenefit, deleteBenefit, listBenefits, updateBenefit } from '@quittance/contracts/benefits'
import { customerStateChanged, getCustomerState } from '@quittance/contracts/customer-state'
import { RequestValidationError } from '@quittance/contracts/errors'
import { getProduct, listProducts, productUpdated, updateProductBenefits } from '@quittance/contracts/products'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { buyProduct, createBenefitShop } from './sell-benefits.ts'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'
import { subscribe } from './subscribe.ts'

/** As large as the metadata of a benefit can be: 78 KiB in UTF-8. */
const largeMetadata = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`key ${index}`.padEnd(40, '.'), '証'.repeat(500)]))

/** Gives every row of the table metadata of this size. */
const setMetadata = (orders: OrdersUnderTest, table: string, bytes: number) =>
  orders.rows(`update ${table} set metadata = jsonb_build_object('text', repeat('x', ${bytes}))`)

test('rejects benefits that make a product too large for a reply, and accepts fewer', async () => {
  await using orders = await startOrders()
  const { seller, product } = await orders.shop()
  const ids: string[] = []
  for (let number = 1; number <= 7; number++) {
    const benefit = { type: 'custom' as const, description: `Benefit ${number}`, properties: {}, metadata: largeMetadata }
    ids.push((await orders.call(createBenefit, benefit, seller)).id)
  }
  const put = (benefits: string[]) => orders.call(updateProductBenefits, { id: product.id, benefits }, seller)
  await expect(put(ids)).rejects.toThrow(RequestValidationError)
  await expect(put(ids)).rejects.toMatchObject({
    body: { detail: [{ loc: ['body', 'benefits'], msg: expect.stringContaining('512 KiB') }] },
  })
  expect(await orders.call(getProduct, { id: product.id }, seller)).toEqual(product)
  expect((await put(ids.slice(1))).benefits).toHaveLength(6)
})

test('rejects a change that makes a benefit too large for one of its products, but not a smaller one', async () => {
  await using orders = await startOrders()
  const { seller, product, benefits } = await createBenefitShop(orders, ['Alpha', 'Bravo'])
  const [alpha = '', bravo = ''] = benefits.map(({ id }) => id)
  await setMetadata(orders, 'benefits', 260_000)
  const change = (properties: { note: string }) => orders.call(updateBenefit, { id: alpha, type: 'custom', properties }, seller)
  await expect(change({ note: 'n'.repeat(20_000) })).rejects.toMatchObject({ body: { detail: [{ loc: ['body', 'properties'] }] } })
  await expect(change({ note: 'n'.repeat(2_000) })).resolves.toBeDefined()
  // As large as it may have become before there was a maximum.
  await setMetadata(orders, 'benefits', 1_000_000)
  await expect(change({ note: 'n'.repeat(1_999) })).resolves.toBeDefined()
  expect(await orders.call(updateProductBenefits, { id: product.id, benefits: [bravo] }, seller)).toMatchObject({
    benefits: [{ id: bravo }],
  })
})

test('the state of a customer is published and read without metadata that would not fit', async () => {
  await using orders = await startOrders()
  const shop = await createBenefitShop(orders, ['Alpha', 'Bravo', 'Charlie'])
  await setMetadata(orders, 'benefits', 3_000_000)
  const { customer_id: id } = await buyProduct(orders, shop)
  const state = await orders.call(getCustomerState, { id }, shop.seller)
  expect(state.granted_benefits.map(({ benefit_metadata }) => benefit_metadata)).toEqual([{}, {}, {}])
  await eventually(async () => expect(await orders.rows('select from outbox_messages where published_at is null')).toEqual([]))
  expect(await orders.rows('select subject from dead_letters where subject = $1', [customerStateChanged.subject])).toEqual([])
  await setMetadata(orders, 'benefits', 1_000_000)
  const later = await orders.call(getCustomerState, { id }, shop.seller)
  expect(later.granted_benefits.map(({ benefit_metadata }) => JSON.stringify(benefit_metadata).length > 1_000_000)).toEqual([
    true,
    true,
    true,
  ])
})

test('the state of a customer leaves out the metadata of subscriptions that would not fit', async () => {
  await using orders = await startOrders()
  const { seller, subscription } = await subscribe(orders)
  const read = async () => (await orders.call(getCustomerState, { id: subscription.customer_id }, seller)).active_subscriptions
  await setMetadata(orders, 'subscriptions', 9_000_000)
  expect(await read()).toMatchObject([{ id: subscription.id, metadata: {} }])
  await setMetadata(orders, 'subscriptions', 10)
  expect(await read()).toMatchObject([{ id: subscription.id, metadata: { text: 'xxxxxxxxxx' } }])
})

test('advises a smaller limit only for a page of several items', async () => {
  await using orders = await startOrders()
  const { seller } = await createBenefitShop(orders, ['Alpha', 'Bravo'])
  await setMetadata(orders, 'benefits', 9_000_000)
  orders.allowInternalErrors()
  await expect(orders.call(listBenefits, { limit: 2 }, seller)).rejects.toThrow('query.limit: Must be smaller')
  await expect(orders.call(listBenefits, { limit: 1 }, seller)).rejects.toThrow('internal error')
  await expect(orders.call(listProducts, {}, seller)).rejects.toThrow('query.limit: Must be smaller')
})

test('a benefit that is deleted while a product gets it is removed from the product', async () => {
  await using orders = await startOrders()
  const { seller, product, benefits } = await createBenefitShop(orders, ['Alpha', 'Bravo'])
  const [alpha = '', bravo = ''] = benefits.map(({ id }) => id)
  await orders.call(updateProductBenefits, { id: product.id, benefits: [bravo] }, seller)
  // Neither change can commit before both have begun.
  const release = await orders.holdTransaction('lock table outbox_messages in share mode')
  const attached = orders.call(updateProductBenefits, { id: product.id, benefits: [alpha, bravo] }, seller)
  await eventually(async () => expect(await orders.rows(waiting)).toEqual([{ count: 1 }]))
  const deleted = orders.call(deleteBenefit, { id: alpha }, seller)
  await eventually(async () => expect(await orders.rows(waiting)).toEqual([{ count: 2 }]))
  await release()
  await Promise.all([attached, deleted])
  expect(await orders.rows('select benefit_id from product_benefits')).toEqual([{ benefit_id: bravo }])
  const last = `select payload::json -> 'benefits' as benefits from outbox_messages where subject = $1 order by position desc limit 1`
  expect(await orders.rows(last, [productUpdated.subject])).toMatchObject([{ benefits: [{ id: bravo }] }])
})

const waiting = `select count(*)::int from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()
  and query !~ 'published_at'`

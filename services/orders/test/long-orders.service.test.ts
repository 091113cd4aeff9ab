import type { Caller } from '@quittance/contracts/caller'
import { maxOrderItems, orderInvoiceRequested } from '@quittance/contracts/invoice-source'
import { generateOrderInvoice, getOrder, listOrders, orderUpdated, updateOrder } from '@quittance/contracts/orders'
import { eventually } from '@quittance/testing/eventually'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createOrders, createOneOrder, type BulkSeller } from './many-orders.ts'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'
import { advance, after, subscribe } from './subscribe.ts'

let orders: OrdersUnderTest
let shop: BulkSeller
beforeAll(async () => {
  orders = await startOrders()
  shop = await createOrders(orders, 1, (await orders.shop()).organizationId)
})
afterAll(() => orders[Symbol.asyncDispose]())

/** Gives each order of the seller the maximum number of lines, with labels as long as product names can be. */
async function lengthen({ organizationId, seller }: BulkSeller): Promise<string[]> {
  await orders.rows(
    `insert into order_items (id, created_at, organization_id, order_id, position, label, amount, tax_amount, proration)
    select gen_random_uuid(), o.created_at, o.organization_id, o.id, n, rpad('A book, volume ' || n, 200, ' of many'), 0, 0, true
    from orders o, generate_series(1, $2::int - 1) n
    where o.organization_id = $1 and not exists (select from order_items i where i.order_id = o.id and i.position = n)`,
    [organizationId, maxOrderItems],
  )
  return (await orders.call(listOrders, { limit: 1 }, seller)).items.map(({ id }) => id)
}

test('reads, lists, changes, bills and publishes the longest order in full [91]', async () => {
  const [id = ''] = await lengthen(shop)
  expect((await orders.call(getOrder, { id }, shop.seller)).items).toHaveLength(maxOrderItems)
  const billed = { id, billing_name: 'Ada', billing_address: { country: 'HK', line1: '1 Long Row', city: 'Hong Kong' } }
  expect((await orders.call(updateOrder, billed, shop.seller)).items).toHaveLength(maxOrderItems)
  expect((await orders.nextEvent(orderUpdated)).items).toHaveLength(maxOrderItems)
  await orders.call(generateOrderInvoice, { id }, shop.seller)
  expect((await orders.nextEvent(orderInvoiceRequested)).items).toHaveLength(maxOrderItems)
})

test('rejects a page too large for one reply by its limit and returns a smaller one', async () => {
  for (let day = 1; day <= 4; day++) await createOneOrder(orders, shop, `2026-02-0${day}T00:00:00Z`)
  await lengthen(shop)
  const page = (limit: number) => orders.call(listOrders, { limit }, shop.seller)
  await expect(page(10)).rejects.toThrow('query.limit: Must be smaller')
  expect((await page(2)).items.map(({ items }) => items.length)).toEqual([maxOrderItems, maxOrderItems])
})

test('what exceeds the maximum of an order waits for the next one [91]', async () => {
  const subscribed = await subscribe(orders, { price: 100_000 })
  const { subscription, product, seller } = subscribed
  await orders.rows(
    `insert into prorations (id, created_at, organization_id, subscription_id, label, amount)
    select gen_random_uuid(), now(), $1, $2, 'Change ' || n, 1 from generate_series(1, $3::int) n`,
    [subscribed.organizationId, subscription.id, maxOrderItems + 7],
  )
  await advance(orders, subscribed, after(subscription.current_period_end))
  expect(await linesOfOrders(seller, { product_id: product.id, count: 2 })).toEqual([1, maxOrderItems - 1])
  await advance(orders, subscribed, after(subscription.current_period_end, 31))
  expect(await linesOfOrders(seller, { product_id: product.id, count: 3 })).toEqual([1, maxOrderItems - 1, 1 + 9])
})

async function linesOfOrders(seller: Caller, { product_id, count }: { product_id: string; count: number }): Promise<number[]> {
  return eventually(async () => {
    const { items } = await orders.call(listOrders, { product_id, sorting: ['created_at'] }, seller)
    expect(items.map(({ status }) => status)).toEqual(Array(count).fill('paid'))
    return items.map((order) => order.items.length)
  })
}

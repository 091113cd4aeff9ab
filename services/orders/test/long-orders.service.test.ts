import type { Caller } from '@quittance/contracts/caller'
import {
  generateOrderInvoice,
  getOrder,
  listOrders,
  mostItems,
  orderInvoiceRequested,
  orderUpdated,
  updateOrder,
} from '@quittance/contracts/orders'
import { eventually } from '@quittance/testing/eventually'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sellMany, sellOneMore, type SellerOfMany } from './many-orders.ts'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'
import { advance, after, subscribe } from './subscribe.ts'

let orders: OrdersUnderTest
let shop: SellerOfMany
beforeAll(async () => {
  orders = await startOrders()
  shop = await sellMany(orders, 1, (await orders.shop()).organizationId)
})
afterAll(() => orders[Symbol.asyncDispose]())

/** As many lines as an order may have, in each order of the seller, with labels as long as names of products are. */
async function lengthen({ organizationId, seller }: SellerOfMany): Promise<string[]> {
  await orders.rows(
    `insert into order_items (id, created_at, organization_id, order_id, position, label, amount, tax_amount, proration)
    select gen_random_uuid(), o.created_at, o.organization_id, o.id, n, rpad('A book, volume ' || n, 200, ' of many'), 0, 0, true
    from orders o, generate_series(1, $2::int - 1) n
    where o.organization_id = $1 and not exists (select from order_items i where i.order_id = o.id and i.position = n)`,
    [organizationId, mostItems],
  )
  return (await orders.call(listOrders, { limit: 1 }, seller)).items.map(({ id }) => id)
}

test('the longest order is read, listed, changed and billed like any other, and told of whole (checklist 91)', async () => {
  const [id = ''] = await lengthen(shop)
  expect((await orders.call(getOrder, { id }, shop.seller)).items).toHaveLength(mostItems)
  const billed = { id, billing_name: 'Ada', billing_address: { country: 'HK', line1: '1 Long Row', city: 'Hong Kong' } }
  expect((await orders.call(updateOrder, billed, shop.seller)).items).toHaveLength(mostItems)
  expect((await orders.nextEvent(orderUpdated)).items).toHaveLength(mostItems)
  await orders.call(generateOrderInvoice, { id }, shop.seller)
  expect((await orders.nextEvent(orderInvoiceRequested)).items).toHaveLength(mostItems)
})

test('a page too large for one answer is refused by its limit, and a smaller one is answered', async () => {
  for (let day = 1; day <= 4; day++) await sellOneMore(orders, shop, `2026-02-0${day}T00:00:00Z`)
  await lengthen(shop)
  const page = (limit: number) => orders.call(listOrders, { limit }, shop.seller)
  await expect(page(10)).rejects.toThrow('"loc":["query","limit"],"msg":"Must be smaller')
  expect((await page(2)).items.map(({ items }) => items.length)).toEqual([mostItems, mostItems])
})

test('what is more than an order may have waits for the next one (checklist 91)', async () => {
  const subscribed = await subscribe(orders, { price: 100_000 })
  const { subscription, product, seller } = subscribed
  await orders.rows(
    `insert into prorations (id, created_at, organization_id, subscription_id, label, amount)
    select gen_random_uuid(), now(), $1, $2, 'Change ' || n, 1 from generate_series(1, $3::int) n`,
    [subscribed.organizationId, subscription.id, mostItems + 7],
  )
  await advance(orders, subscribed, after(subscription.current_period_end))
  expect(await linesOfOrders(seller, { product_id: product.id, count: 2 })).toEqual([1, mostItems - 1])
  await advance(orders, subscribed, after(subscription.current_period_end, 31))
  expect(await linesOfOrders(seller, { product_id: product.id, count: 3 })).toEqual([1, mostItems - 1, 1 + 9])
})

async function linesOfOrders(seller: Caller, { product_id, count }: { product_id: string; count: number }): Promise<number[]> {
  return eventually(async () => {
    const { items } = await orders.call(listOrders, { product_id, sorting: ['created_at'] }, seller)
    expect(items.map(({ status }) => status)).toEqual(Array(count).fill('paid'))
    return items.map((order) => order.items.length)
  })
}

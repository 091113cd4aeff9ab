import { createProduct } from '@quittance/contracts/products'
import { listOrders, type Order } from '@quittance/contracts/orders'
import { explain, recordStatements } from '@quittance/testing/record-statements'
import { expect, test } from 'vitest'
import { copyRows } from './copy-rows.ts'
import { startOrders } from './start-orders.ts'

/** Returns the number of rows that a plan with `analyze` reads from the orders. */
function countReadOrders(plan: string): number {
  const nodes = plan.matchAll(
    / on orders o.*\(actual (?:time=\S+ )?rows=([\d.]+) loops=(\d+)\)(?:[^(]*Rows Removed by (?:\w+ ?)+: (\d+))?/g,
  )
  return [...nodes].reduce((sum, [, rows, loops, removed]) => sum + (Number(rows) + Number(removed ?? 0)) * Number(loops), 0)
}

test('a list by billing type reads few orders, whether all or none of them match', async () => {
  await using orders = await startOrders()
  const { seller, product, order, organizationId } = await orders.paidOrder({ billed: false })
  const recurring = await orders.call(
    createProduct,
    { name: 'Plan', recurring_interval: 'month', prices: [{ amount_type: 'fixed', price_amount: 900, price_currency: 'usd' }] },
    seller,
  )
  const at = (ago: string, productId: string) =>
    `jsonb_build_object('created_at', now() - interval '${ago}' - n * interval '1 minute', 'product_id', '${productId}', 'checkout_id', gen_random_uuid())`
  // The oldest ones, which a scan by time would read last.
  await copyRows(orders, { table: 'orders', id: order.id, count: 3, changed: at('1 year', recurring.id) })
  await copyRows(orders, { table: 'orders', id: order.id, count: 100_000, changed: at('0', product.id) })
  await orders.rows('analyze orders')
  const byTime = await orders.rows<{ id: string; product_id: string }>(
    'select id, product_id from orders order by created_at desc, id desc',
  )
  for (const [type, productId] of Object.entries({ recurring: recurring.id, one_time: product.id })) {
    using statements = recordStatements()
    const expected = byTime.filter(({ product_id }) => product_id === productId).map(({ id }) => id)
    for (const page of [1, 2]) {
      const { items } = await orders.call(
        listOrders,
        { organization_id: organizationId, product_billing_type: type as 'recurring', page },
        seller,
      )
      expect(items.map(({ id }: Order) => id)).toEqual(expected.slice((page - 1) * 10, page * 10))
    }
    const plan = await explain(orders, statements.findWithValues('recurring_interval is null', 'limit 10'), 'analyze, timing off')
    expect(countReadOrders(plan)).toBeGreaterThan(0)
    expect(countReadOrders(plan)).toBeLessThan(200)
  }
})

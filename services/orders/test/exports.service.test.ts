import { randomUUID } from 'node:crypto'
import { exportOrders } from '@quittance/contracts/orders'
import { exportSubscriptions } from '@quittance/contracts/subscriptions'
import { organizationCaller, userCaller } from '@quittance/testing/callers'
import { explain, recordStatements } from '@quittance/testing/record-statements'
import { expect, test } from 'vitest'
import { copyRows } from './copy-rows.ts'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'
import { subscribe } from './subscribe.ts'

test('exports each order of the organization once, in order, as CSV without formulas, in parts', async () => {
  await using orders = await startOrders()
  const { order, organizationId, seller } = await orders.paidOrder({ billed: true })
  await orders.rows(`update customers set name = '=HYPERLINK("http://evil.example")'`)
  await orders.rows(
    `with more as (
       insert into orders select (json_populate_record(o, json_build_object('id', gen_random_uuid(), 'checkout_id', null,
         'created_at', o.created_at + n * interval '1 second'))).* from orders o, generate_series(1, 1203) n returning id)
     insert into order_items select (json_populate_record(i, json_build_object('id', gen_random_uuid(), 'order_id', more.id))).*
     from more, order_items i`,
  )
  const texts: string[] = []
  for (let after: string | null | undefined; after !== null;) {
    const part: { text: string; next: string | null } = await orders.call(exportOrders, { after: after as never }, seller)
    texts.push(part.text)
    after = part.next
  }
  expect(texts).toHaveLength(3)
  const [header, first, ...lines] = texts.join('').trimEnd().split('\r\n')
  expect(header).toMatch(/^id,created_at,status,/)
  expect(first).toContain(`${order.id},`)
  expect(first).toContain(`"'=HYPERLINK(""http://evil.example"")"`)
  expect(first).toMatch(/,4200,0,4200,0,4200,0,0,/)
  expect(new Set([first, ...lines].map((line) => line?.slice(0, 36))).size).toBe(1204)
  const none = await orders.call(exportOrders, { organization_id: organizationId }, organizationCaller(randomUUID()))
  expect(none).toEqual({ text: `${header}\r\n`, next: null })
})

test('exports the started subscriptions of the organization as CSV', async () => {
  await using orders = await startOrders()
  const { seller, subscription, organizationId } = await subscribe(orders)
  const { text, next } = await orders.call(exportSubscriptions, { organization_id: organizationId }, seller)
  const [header, line, rest] = text.split('\r\n')
  expect({ header, rest, next }).toEqual({ header: 'Email,Created At,Active,Product,Price,Currency,Interval', rest: '', next: null })
  expect(line).toMatch(new RegExp(`^${subscription.customer.email},[^,]+,true,Plan 1000,1000,usd,month$`))
  expect((await orders.call(exportSubscriptions, {}, organizationCaller(randomUUID()))).text).toBe(`${header}\r\n`)
})

/** Copies a row 6,000 times, a second apart, in turn for this organization and for another one; returns the other one. */
async function spreadRows(orders: OrdersUnderTest, table: string, organizationId: string): Promise<string> {
  const other = randomUUID()
  const changed = `jsonb_build_object('created_at', t.created_at + n * interval '1 second', 'checkout_id', null,
    'organization_id', case when n % 2 = 0 then '${organizationId}' else '${other}' end)`
  await copyRows(orders, { table, count: 6000, changed })
  await orders.rows(`analyze ${table}`)
  return other
}

test.each([
  {
    table: 'orders',
    index: 'orders_by_organization',
    contract: exportOrders,
    sell: (orders: OrdersUnderTest) => orders.paidOrder({ billed: false }),
  },
  { table: 'subscriptions', index: 'subscriptions_by_creation', contract: exportSubscriptions, sell: subscribe },
])('a part of an export of $table reads its own rows only, for several organizations too', async ({ table, index, contract, sell }) => {
  await using orders = await startOrders()
  const { organizationId } = await sell(orders)
  const other = await spreadRows(orders, table, organizationId)
  const [tenth] = await orders.rows<{ after: string }>(
    `select to_json(created_at)#>>'{}' || ' ' || id as after from ${table} order by created_at, id offset 10 limit 1`,
  )
  const after = tenth?.after as `${string} ${string}`
  for (const organizationIds of [[organizationId], [organizationId, other]]) {
    using statements = recordStatements()
    const { text, next } = await orders.call(contract, { after }, userCaller({ userId: randomUUID(), organizationIds }))
    expect(text.split('\r\n')).toHaveLength(501)
    expect(next).not.toBeNull()
    const plan = await explain(orders, statements.findWithValues(` ${table}`, '::text as items'), 'analyze, costs off, timing off')
    const scans = [...plan.matchAll(/ Scan(?: Backward)? using (\w+) on .*actual rows=(\d+)/g)].map(([, name, rows]) => ({
      name,
      rows: Number(rows),
    }))
    expect(scans).toContainEqual({ name: index, rows: 500 })
    expect(scans.filter(({ rows }) => rows > 500)).toEqual([])
    expect(plan).not.toContain(`Seq Scan on ${table}`)
  }
})

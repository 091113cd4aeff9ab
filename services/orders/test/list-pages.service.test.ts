import type { Caller } from '@quittance/contracts/caller'
import { listCustomerOrders } from '@quittance/contracts/customer-portal'
import { listOrders } from '@quittance/contracts/orders'
import { customerCaller, organizationCaller, userCaller } from '@quittance/testing/callers'
import type { TestService } from '@quittance/testing/harness'
import { expect, test } from 'vitest'
import { createOrders, createOneOrder } from './many-orders.ts'
import { startOrders } from './start-orders.ts'

/** Returns the ids of all pages, up to the last page named by each reply. */
async function walk(
  service: TestService,
  { request, caller, betweenPages }: { request: object; caller: Caller; betweenPages?: () => Promise<unknown> },
) {
  const ids: string[] = []
  for (let page = 1, last = 1; page <= last; page += 1) {
    const { items, pagination } = await service.call(listOrders, { ...request, page }, caller)
    ids.push(...items.map(({ id }) => id))
    last = pagination.max_page
    if (page === 2) await betweenPages?.()
  }
  return ids
}

const selectIds = async (service: TestService, { sql, values }: { sql: string; values: unknown[] }) =>
  (await service.rows<{ id: string }>(sql, values)).map(({ id }) => id)

const words = ['created_at', 'amount', 'customer', 'product', 'discount', 'subscription'] as const
const columns = { created_at: 'o.created_at', amount: 'o.net_amount', customer: 'c.email', product: 'p.name', discount: 'd.name' }

test('pages in any order and direction contain every row once and in that order', async () => {
  await using orders = await startOrders()
  const { organizationId, seller } = await createOrders(orders, 50)
  await createOrders(orders, 20)
  for (const word of words) {
    for (const direction of ['asc', 'desc']) {
      const by = `${word === 'subscription' ? 'o.subscription_id' : columns[word]} ${direction} nulls last`
      const wanted = await selectIds(orders, {
        sql: `select o.id from orders o join customers c on c.id = o.customer_id join products p on p.id = o.product_id
          left join discounts d on d.id = o.discount_id where o.organization_id = $1 order by ${by}, o.created_at ${direction}, o.id ${direction}`,
        values: [organizationId],
      })
      const sorting = direction === 'asc' ? word : (`-${word}` as const)
      expect([sorting, await walk(orders, { request: { sorting: [sorting], limit: 7 }, caller: seller })]).toEqual([sorting, wanted])
    }
  }
})

test('deep pages located by daily counters contain the right rows in both directions', async () => {
  await using orders = await startOrders()
  const { organizationId, seller } = await createOrders(orders, 2_500)
  for (const direction of ['asc', 'desc']) {
    const wanted = await selectIds(orders, {
      sql: `select id from orders where organization_id = $1 order by created_at ${direction}, id ${direction}`,
      values: [organizationId],
    })
    const sorting: object = { sorting: direction === 'asc' ? 'created_at' : '-created_at' }
    expect(await walk(orders, { request: { ...sorting, limit: 100 }, caller: seller })).toEqual(wanted)
    const { items } = await orders.call(listOrders, { ...sorting, limit: 7, page: 300 }, seller)
    expect(items.map(({ id }) => id)).toEqual(wanted.slice(299 * 7, 300 * 7))
    expect((await orders.call(listOrders, { ...sorting, limit: 100, page: 26 }, seller)).items).toEqual([])
  }
})

test('rows added after the pages read change nothing; rows added before never hide others', async () => {
  await using orders = await startOrders()
  const many = await createOrders(orders, 1_300)
  const existing = await selectIds(orders, {
    sql: 'select id from orders where organization_id = $1 order by created_at, id',
    values: [many.organizationId],
  })
  const betweenPages = () => createOneOrder(orders, many, '2027-01-01T00:00:00Z')
  const forwards = await walk(orders, { request: { sorting: ['created_at'], limit: 100 }, caller: many.seller, betweenPages })
  expect(forwards.slice(0, existing.length)).toEqual(existing)
  expect(new Set(forwards).size).toBe(forwards.length)
  const backwards = await walk(orders, { request: { limit: 100 }, caller: many.seller, betweenPages })
  expect(existing.filter((id) => !backwards.includes(id))).toEqual([])
  // Two pages were read when all rows moved by one.
  expect(backwards.length - new Set(backwards).size).toBe(1)
})

test('a user pages through all their organizations in one order, and through one by filter', async () => {
  await using orders = await startOrders()
  const [first, second, foreign] = [await createOrders(orders, 1_100), await createOrders(orders, 30), await createOrders(orders, 10)]
  const organizationIds = [first.organizationId, second.organizationId]
  const person = userCaller({ userId: first.customerIds[0] as string, organizationIds })
  for (const [word, by] of [
    ['-created_at', 'created_at desc, id desc'],
    ['amount', 'net_amount, created_at, id'],
    ['-discount', 'discount_id is null, created_at desc, id desc'],
  ] as const) {
    const wanted = await selectIds(orders, {
      sql: `select id from orders where organization_id = any($1) order by ${by}`,
      values: [organizationIds],
    })
    expect([word, await walk(orders, { request: { sorting: [word], limit: 100 }, caller: person })]).toEqual([word, wanted])
  }
  const ofOne = await orders.call(listOrders, { organization_id: second.organizationId }, person)
  expect([ofOne.pagination.total_count, ofOne.items.length]).toEqual([30, 10])
  const foreignPage = await orders.call(listOrders, { organization_id: foreign.organizationId }, person)
  expect([foreignPage.pagination, foreignPage.items]).toEqual([{ total_count: 0, max_page: 0 }, []])
  const nonMember = userCaller({ userId: first.customerIds[0] as string, organizationIds: [] })
  expect((await orders.call(listOrders, {}, nonMember)).pagination.total_count).toBe(0)
})

test('a customer pages through their own orders, and the total counts only these', async () => {
  await using orders = await startOrders()
  const { organizationId } = await orders.shop()
  const { customerIds, productIds } = await createOrders(orders, 60, organizationId)
  const customer = customerCaller({ organizationId, customerId: customerIds[1] as string })
  for (const sorting of ['created_at', '-amount', 'product', '-subscription'] as const) {
    const ids: string[] = []
    for (const page of [1, 2, 3]) {
      const request: object = { sorting, limit: 8, page }
      const { items, pagination } = await orders.call(listCustomerOrders, request, customer)
      ids.push(...items.map(({ id }) => id))
      expect(pagination).toEqual({ total_count: 20, max_page: 3 })
    }
    expect([sorting, new Set(ids).size]).toEqual([sorting, 20])
  }
  const [narrowed] = [await orders.call(listCustomerOrders, { product_id: productIds[0] as string }, customer)]
  expect(narrowed.pagination.total_count).toBe(10)
})

test('compares metadata as text, whatever its type', async () => {
  await using orders = await startOrders()
  const { organizationId } = await createOrders(orders, 6)
  const seller = organizationCaller(organizationId)
  const metadata = ['{"n": 7}', '{"n": "7"}', '{"n": 7.0}', '{"n": true}', '{"n": "true", "m": "x"}', '{"n": "null"}']
  await orders.rows(
    `update orders o set metadata = ($2::jsonb[])[r.n] from (select id, row_number() over (order by id) as n from orders where organization_id = $1) r
      where o.id = r.id`,
    [organizationId, metadata],
  )
  const count = async (wanted: Record<string, string | string[]>) =>
    (await orders.call(listOrders, { metadata: wanted }, seller)).pagination.total_count
  expect(await count({ n: '7' })).toBe(2)
  expect(await count({ n: '7.0' })).toBe(1)
  expect(await count({ n: '07' })).toBe(0)
  expect(await count({ n: ['true', '7'] })).toBe(4)
  expect(await count({ n: 'true', m: 'x' })).toBe(1)
  expect(await count({ n: 'null' })).toBe(1)
  expect(await count({ absent: 'null' })).toBe(0)
  expect(await count({ n: '9'.repeat(500) })).toBe(0)
})

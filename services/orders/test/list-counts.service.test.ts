import { randomUUID } from 'node:crypto'
import { createBenefit, deleteBenefit, listBenefits } from '@quittance/contracts/benefits'
import type { Caller } from '@quittance/contracts/caller'
import { listCheckouts } from '@quittance/contracts/checkouts'
import { createCustomer, deleteCustomer, listCustomers } from '@quittance/contracts/customers'
import { createDiscount, deleteDiscount, listDiscounts } from '@quittance/contracts/discounts'
import { listOrders } from '@quittance/contracts/orders'
import { listPayments } from '@quittance/contracts/payments'
import { listProducts } from '@quittance/contracts/products'
import { createRefund, listRefunds } from '@quittance/contracts/refunds'
import { listSubscriptions } from '@quittance/contracts/subscriptions'
import { organizationCaller } from '@quittance/testing/callers'
import { definitionBefore } from '@quittance/testing/database'
import { eventually } from '@quittance/testing/eventually'
import type { TestService } from '@quittance/testing/harness'
import { openDatabase } from '@quittance/runtime/database'
import { expect, test } from 'vitest'
import { database } from '../src/database.ts'
import { createOrders, createOneOrder } from './many-orders.ts'
import { startOrders } from './start-orders.ts'
import { subscribe } from './subscribe.ts'

/** Opens a separate connection for transactions that stay open. */
async function openConnection(url: string | null) {
  const opened = await openDatabase(database, { url: url as string, poolMax: 2 })
  const client = await opened.pool.connect()
  return {
    query: async <Row extends object>(sql: string, values?: unknown[]) => (await client.query<Row>(sql, values)).rows,
    async [Symbol.asyncDispose]() {
      client.release()
      await opened.close()
    },
  }
}

/** Returns counters and rows, by list and kind; equal if the counters are correct. */
async function readCounts(service: TestService) {
  const counters = await service.rows(`select list, kind, organization_id, product_id, day::text, sum(delta)::int as rows from list_counts
    group by 1, 2, 3, 4, 5 having sum(delta) <> 0 order by 1, 2, 3, 4, 5`)
  const rows = await service.rows(`
    with shown (list, organization_id, product_id, at) as (
      select 'orders', organization_id, product_id, created_at from orders
      union all select 'customers', organization_id, null, created_at from customers where deleted_at is null
      union all select 'checkouts', organization_id, null, created_at from checkouts
      union all select 'products', organization_id, null, created_at from products
      union all select 'discounts', organization_id, null, created_at from discounts where deleted_at is null
      union all select 'benefits', organization_id, null, created_at from benefits where deleted_at is null
      union all select 'refunds', organization_id, null, created_at from refunds where purpose = 'order'
      union all select 'payments', organization_id, null, created_at from payments
      union all select 'license_keys', organization_id, null, created_at from license_keys
      union all select 'subscriptions', organization_id, null, started_at from subscriptions where started_at is not null)
    select list, kind, organization_id, case kind when 'product' then product_id end as product_id,
      case kind when 'day' then (at at time zone 'UTC')::date end::text as day, count(*)::int as rows
    from shown, unnest(array['all', 'day', 'product']) kind where kind <> 'product' or product_id is not null
    group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5`)
  return { counters, rows }
}

async function assertCountersMatch(service: TestService): Promise<void> {
  const { counters, rows } = await readCounts(service)
  expect(counters).toEqual(rows)
}

/** Compacts the counters now and waits until nothing is left to compact. */
async function compactCounters(service: TestService): Promise<void> {
  await eventually(async () => {
    await service.rows(`select pg_notify('wake', 'compact-list-counts')`)
    if ((await service.rows('select from list_changes')).length > 0) throw new Error('not compacted yet')
  })
}

test('totals equal the rows after sales, refunds, deletions and corrections, compacted or not', async () => {
  await using orders = await startOrders()
  const { seller, order } = await orders.paidOrder({ billed: true })
  await orders.call(createRefund, { order_id: order.id, reason: 'other', amount: 100 }, seller)
  const gone = await orders.call(createCustomer, { email: 'gone@example.com' }, seller)
  await orders.call(createCustomer, { email: 'stays@example.com' }, seller)
  const tenPercent = { name: 'Ten', type: 'percentage' as const, basis_points: 1000, duration: 'once' as const }
  const discount = await orders.call(createDiscount, tenPercent, seller)
  const benefit = await orders.call(createBenefit, { type: 'custom', description: 'A chair', properties: { note: 'Sit.' } }, seller)
  await compactCounters(orders)
  await orders.call(deleteCustomer, { id: gone.id }, seller)
  await orders.call(deleteDiscount, { id: discount.id }, seller)
  const totals = async (caller: Caller) => [
    (await orders.call(listOrders, {}, caller)).pagination.total_count,
    (await orders.call(listCustomers, {}, caller)).pagination.total_count,
    (await orders.call(listCheckouts, {}, caller)).pagination.total_count,
    (await orders.call(listRefunds, {}, caller)).pagination.total_count,
    (await orders.call(listSubscriptions, {}, caller)).pagination.total_count,
    (await orders.call(listProducts, {}, caller)).pagination.total_count,
    (await orders.call(listDiscounts, {}, caller)).pagination.total_count,
    (await orders.call(listBenefits, {}, caller)).pagination.total_count,
    (await orders.call(listPayments, {}, caller)).pagination.total_count,
  ]
  expect(await totals(seller)).toEqual([1, 2, 1, 1, 0, 1, 0, 1, 1])
  await assertCountersMatch(orders)
  await compactCounters(orders)
  expect(await totals(seller)).toEqual([1, 2, 1, 1, 0, 1, 0, 1, 1])
  await orders.call(deleteBenefit, { id: benefit.id }, seller)
  await orders.rows(`update customers set deleted_at = null`)
  await orders.rows(`update orders set created_at = created_at - interval '3 days'`)
  await assertCountersMatch(orders)
  await orders.rows(`delete from customers where email = 'stays@example.com'`)
  await assertCountersMatch(orders)
  expect(await totals(seller)).toEqual([1, 2, 1, 1, 0, 1, 0, 0, 1])
  expect(await totals(organizationCaller(randomUUID()))).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0])
})

test('counts totals by product and billing type, also when an order changes its product', async () => {
  await using orders = await startOrders()
  const { seller, productIds, organizationId } = await createOrders(orders, 41)
  const total = async (filter: object) => (await orders.call(listOrders, filter, seller)).pagination.total_count
  const [once, recurring] = productIds as [string, string]
  const counts = async () => [
    await total({ product_id: once }),
    await total({ product_id: productIds }),
    await total({ product_billing_type: 'one_time' }),
    await total({ product_billing_type: ['one_time', 'recurring'] }),
    await total({ product_id: once, product_billing_type: 'recurring' }),
    await total({ product_id: randomUUID() }),
  ]
  expect(await counts()).toEqual([20, 41, 20, 41, 0, 0])
  await orders.rows(
    `update orders set product_id = $1 where id in (select id from orders where organization_id = $2 and product_id = $3 limit 2)`,
    [recurring, organizationId, once],
  )
  expect(await counts()).toEqual([18, 41, 18, 41, 0, 0])
  await assertCountersMatch(orders)
})

test('counts a subscription from its start', async () => {
  await using orders = await startOrders()
  const { seller } = await subscribe(orders)
  await eventually(async () => {
    const { items, pagination } = await orders.call(listSubscriptions, { active: true }, seller)
    expect([items.length, pagination.total_count]).toEqual([1, 1])
  })
  expect((await orders.call(listSubscriptions, {}, seller)).pagination.total_count).toBe(1)
  await orders.rows('update subscriptions set started_at = null, status = $1, ended_at = null', ['incomplete'])
  expect((await orders.call(listSubscriptions, {}, seller)).pagination.total_count).toBe(0)
  await assertCountersMatch(orders)
})

test('never counts rolled-back rows, and counts uncommitted ones only where they are visible', async () => {
  await using orders = await startOrders()
  const many = await createOrders(orders, 10)
  const total = async () => (await orders.call(listOrders, {}, many.seller)).pagination.total_count
  await using second = await openConnection(orders.databaseUrl)
  await second.query('begin')
  await second.query('delete from order_items where organization_id = $1', [many.organizationId])
  await second.query('delete from orders where organization_id = $1', [many.organizationId])
  const [seen] = await second.query<{ left: number }>(
    `select sum(delta)::int as left from list_counts where list = 'orders' and kind = 'all'`,
  )
  expect([seen?.left, await total()]).toEqual([0, 10])
  await compactCounters(orders)
  await second.query('rollback')
  expect(await total()).toBe(10)
  await assertCountersMatch(orders)
})

test('sales of one seller do not wait for each other’s counters during compaction', async () => {
  await using orders = await startOrders()
  const many = await createOrders(orders, 1)
  await using second = await openConnection(orders.databaseUrl)
  await second.query('begin')
  await second.query(
    `insert into customers (id, created_at, organization_id, email) values (gen_random_uuid(), now(), $1, 'z@example.com')`,
    [many.organizationId],
  )
  await Promise.all(Array.from({ length: 20 }, () => createOneOrder(orders, many, '2026-05-01T00:00:00Z')))
  await orders.call(createCustomer, { email: 'y@example.com' }, many.seller)
  await second.query('commit')
  await Promise.all([compactCounters(orders), ...Array.from({ length: 20 }, () => createOneOrder(orders, many, '2026-05-02T00:00:00Z'))])
  expect((await orders.call(listOrders, {}, many.seller)).pagination.total_count).toBe(41)
  expect((await orders.call(listCustomers, {}, many.seller)).pagination.total_count).toBe(5)
  await compactCounters(orders)
  await assertCountersMatch(orders)
  const [{ rows } = { rows: 0 }] = await orders.rows<{ rows: number }>(`select count(*)::int as rows from list_totals
    where kind = 'all' and list in ('orders', 'customers')`)
  expect(rows).toBe(2)
})

test('the migration counts existing rows and rows written during it', async () => {
  await using orders = await startOrders()
  const url = new URL(orders.databaseUrl as string)
  const name = `${url.pathname.slice(1)}_old`
  await orders.rows(`create database ${name}`)
  url.pathname = `/${name}`
  const previous = await openDatabase(definitionBefore(database, 'count-lists'), { url: url.href, poolMax: 1 })
  const client = await previous.pool.connect()
  try {
    const rows = async (sql: string, values?: unknown[]) => (await client.query(sql, values)).rows
    const service = { ...orders, rows } as TestService
    const many = await createOrders(service, 30)
    await rows(`insert into payments (id, created_at, organization_id, order_id, amount, currency, confirmation_token, status)
      select gen_random_uuid(), created_at, organization_id, id, total_amount, currency, 'ctoken_ok', 'succeeded' from orders`)
    // A sale of the previous version that starts before the migration and ends while it waits.
    await rows('begin')
    await createOneOrder(service, many, '2026-05-01T00:00:00Z')
    const migrating = openDatabase(database, { url: url.href, poolMax: 2 })
    await eventually(async () => {
      const waiting = 'select from pg_locks l join pg_database d on d.oid = l.database where d.datname = $1 and not granted'
      if ((await orders.rows(waiting, [name])).length === 0) throw new Error('the migration does not wait yet')
    })
    await rows('commit')
    await (await migrating).close()
    await createOneOrder(service, many, '2026-05-02T00:00:00Z')
    await assertCountersMatch(service)
  } finally {
    client.release()
    await previous.close()
    await orders.rows(`drop database ${name} with (force)`)
  }
})

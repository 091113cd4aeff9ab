/** Reads of due deliveries: they are bounded and shared between organizations, and a slow one delays deliveries but stops none. */
import { randomUUID } from 'node:crypto'
import type { JobContext } from '@quittance/runtime/handler'
import { createSystemSql } from '@quittance/sql/sql-runner'
import { cloneDatabase, connectTo } from '@quittance/testing/database'
import { startEndpointSink } from '@quittance/testing/endpoint-sink'
import type { Client } from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { database } from '../src/database.ts'
import { EndpointQueue, type DueDelivery } from '../src/queue/endpoint-queue.ts'
import { readDueDeliveries } from '../src/queue/queue-store.ts'
import { acceptedIds } from './delivery-assertions.ts'
import { paidOrderEvents, startWebhooks } from './start-webhooks.ts'

const mebibyte = 1024 * 1024
/** The largest payload that is stored. */
const largest = mebibyte / 4

test('delivers although every read takes longer than a delivery may wait afterwards', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  const endpoint = await webhooks.endpoint({ url: sink.url })
  await webhooks.rows('alter table webhook_events enable row level security')
  await webhooks.rows('create policy every on webhook_events using (true)')
  await webhooks.rows('create policy slow on webhook_events as restrictive for select using ((select pg_sleep(0.4)) is not null)')
  const ids = await webhooks.publishEvents(paidOrderEvents)
  await webhooks.attempts(endpoint, 3)
  expect(acceptedIds(sink)).toEqual(ids)
  // The service reads with this role, and the tests with another.
  const reader = await connectTo(webhooks.config.DATABASE_URL ?? '')
  const from = performance.now()
  await reader.query('select from webhook_events')
  expect(performance.now() - from).toBeGreaterThan(390)
  await reader.end()
})

let cloned: Awaited<ReturnType<typeof cloneDatabase>>
let client: Client
beforeEach(async () => {
  cloned = await cloneDatabase('webhooks', database)
  client = await connectTo(cloned.url)
})
afterEach(async () => {
  await client.end()
  await cloned.drop()
})

interface Backlog {
  organizationId: string
  count: number
  /** Bytes of each payload. */
  size: number
}

/** Creates an endpoint with due deliveries and returns its id. */
async function createBacklog({ organizationId, count, size }: Backlog): Promise<string> {
  const id = randomUUID()
  await client.query(
    `insert into webhook_endpoints (id, created_at, organization_id, url, format, events, sealed_secret)
     values ($1, now(), $2, 'https://example.com', 'raw', '{*}', 'sealed')`,
    [id, organizationId],
  )
  await client.query(
    `with event as (
       insert into webhook_events (id, occurred_at, organization_id, type, aggregate_id, payload)
       select gen_random_uuid(), now(), $2, 'order.paid', gen_random_uuid(), repeat('x', $4) from generate_series(1, $3::int) returning *)
     insert into webhook_deliveries (event_id, endpoint_id, occurred_at, aggregate_id, event_type, status, next_attempt_at)
     select id, $1, occurred_at, aggregate_id, type, 'pending', occurred_at from event`,
    [id, organizationId, count, size],
  )
  return id
}

interface Request {
  count?: number
  started?: readonly string[]
  omitted?: readonly string[]
}

/** Reads the due deliveries of these endpoints in one statement, and returns those of each. */
async function read(endpointIds: readonly string[], { count = 200, started = [], omitted = [] }: Request = {}) {
  const execute = async ({ text }: { text: string }, values: unknown[]) => (await client.query(text, values)).rows
  const context = { systemSql: createSystemSql({ execute: execute as never }, 'a test') } as JobContext
  const requests = endpointIds.map((endpointId) => ({ queue: { lease: { endpointId } } as EndpointQueue, count, started, omitted }))
  const due = await readDueDeliveries(context, requests)
  return endpointIds.map((id) => due.filter(({ endpoint_id }) => endpoint_id === id))
}

const countBytes = (due: readonly { payload: string | null }[]) => due.reduce((sum, { payload }) => sum + (payload?.length ?? 0), 0)

test('reads at most 1 MiB of one organization at once, however many large events are due', async () => {
  const organizationId = randomUUID()
  const ids = [
    await createBacklog({ organizationId, count: 100, size: 200_000 }),
    await createBacklog({ organizationId, count: 100, size: 200_000 }),
  ]
  for (const due of await read(ids)) {
    expect(countBytes(due)).toBe(400_000)
    // More are due, so that the queue is read again.
    expect(due.at(-1)).toMatchObject({ has_next: true })
  }
})

test('reads the small events of an organization beside the large ones of others, 4 MiB in all', async () => {
  const small = await createBacklog({ organizationId: randomUUID(), count: 200, size: 2_000 })
  const large: string[] = []
  for (let other = 0; other < 7; other += 1) large.push(await createBacklog({ organizationId: randomUUID(), count: 10, size: largest }))
  const [due = [], ...others] = await read([small, ...large])
  expect(due).toHaveLength(200)
  expect(due.at(-1)).toMatchObject({ has_next: false })
  expect(others.map((each) => countBytes(each))).toEqual(large.map(() => (4 * mebibyte) / 8))
})

test('reads the first delivery of every queue, even if they exceed the share of their organization', async () => {
  const organizationId = randomUUID()
  const ids: string[] = []
  for (let endpoint = 0; endpoint < 20; endpoint += 1) ids.push(await createBacklog({ organizationId, count: 2, size: largest }))
  expect((await read(ids)).map((due) => due.map(({ has_next }) => has_next))).toEqual(ids.map(() => [true]))
})

test('reads the next deliveries while earlier ones are in progress', async () => {
  const id = await createBacklog({ organizationId: randomUUID(), count: 7, size: largest })
  const [first = []] = await read([id])
  const started = first.map(({ event_id }) => event_id)
  expect(started).toHaveLength(4)
  const [next = []] = await read([id], { started, count: 3 })
  expect(next).toHaveLength(3)
  expect(next.filter(({ event_id }) => started.includes(event_id))).toEqual([])
})

test('omits the events of an order among the first 1,000, and no others', async () => {
  const id = await createBacklog({ organizationId: randomUUID(), count: 20, size: 100 })
  const [first = []] = await read([id], { count: 3 })
  const omitted = first.map(({ aggregate_id }) => aggregate_id)
  const [next = []] = await read([id], { omitted, count: 18 })
  expect(next).toHaveLength(17)
  expect(next.filter(({ aggregate_id }) => omitted.includes(aggregate_id))).toEqual([])
  await client.query('update webhook_deliveries set aggregate_id = $1', [omitted[0]])
  expect(await read([id], { omitted })).toEqual([[]])
})

test('reads fewer deliveries after large ones, and again more once they are small', () => {
  const row = { endpoint_id: randomUUID(), epoch: '1', is_proven: true, trips: 0, failures: 0, failed_events: [] }
  const queue = new EndpointQueue(row, { maxInFlight: 10, until: Infinity })
  const due = (count: number, hasNext: boolean) => Array.from({ length: count }, () => ({ has_next: hasNext }) as DueDelivery)
  const read = { isStarted: () => false, omitted: [] }
  queue.fill(due(4, true), { ...read, count: 200 })
  expect(queue.buffer).toMatchObject({ hasMore: true, maxCount: 12 })
  queue.fill(due(12, false), { ...read, count: 12 })
  expect(queue.buffer).toMatchObject({ hasMore: true, maxCount: Infinity })
  queue.fill(due(3, false), { ...read, count: 200 })
  expect(queue.buffer).toMatchObject({ hasMore: false, maxCount: Infinity })
})

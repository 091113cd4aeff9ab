import { randomUUID } from 'node:crypto'
import { ingestUsageEvents } from '@quittance/contracts/usage-events'
import { call } from '@quittance/runtime/rpc-client'
import { organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { explain, recordStatements } from '@quittance/testing/record-statements'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildEvent, startUsage, type SentEvent, type TestUsage } from './start-usage.ts'

let usage: TestUsage
beforeAll(async () => {
  usage = await startUsage()
})
afterAll(() => usage[Symbol.asyncDispose]())

test('stores the first of two events with one external_id in a request [usage 10]', async () => {
  const [name, external_id] = [randomUUID(), randomUUID()]
  const events = [buildEvent({ name, external_id, metadata: { n: 1 } }), buildEvent({ name, external_id, metadata: { n: 2 } })]
  expect(await usage.ingest(events)).toEqual({ inserted: 1, duplicates: 1 })
  expect(await usage.ingest([...events, buildEvent({ name })])).toEqual({ inserted: 1, duplicates: 2 })
  const stored = await usage.list({ name })
  expect(stored.map(({ metadata, external_id: id }) => [metadata, id])).toEqual([
    [{ tokens: 5 }, null],
    [{ n: 1 }, external_id],
  ])
})

test('one external_id in two organizations is two events', async () => {
  const external_id = randomUUID()
  expect(await usage.ingest([buildEvent({ external_id })])).toEqual({ inserted: 1, duplicates: 0 })
  expect(await usage.ingest([buildEvent({ external_id })], organizationCaller(randomUUID()))).toEqual({ inserted: 1, duplicates: 0 })
})

test('stores an event once that 16 connections send at the same time [usage 11]', async () => {
  const [name, external_id] = [randomUUID(), randomUUID()]
  const replies = await Promise.all(Array.from({ length: 16 }, () => usage.ingest([buildEvent({ name, external_id })])))
  expect(replies.reduce((sum, { inserted }) => sum + inserted, 0)).toBe(1)
  expect(replies.reduce((sum, { duplicates }) => sum + duplicates, 0)).toBe(15)
  expect(await usage.list({ name })).toHaveLength(1)
})

test('inserts on the retry after a transaction that failed [usage 12]', async () => {
  const [name, external_id] = [randomUUID(), randomUUID()]
  const events = [buildEvent({ name, external_id })]
  await usage.rows(`alter table usage_events add constraint fails check (name <> '${name}')`)
  usage.allowInternalErrors()
  await expect(usage.ingest(events)).rejects.toMatchObject({ status: 500 })
  await usage.rows(`alter table usage_events drop constraint fails`)
  expect(await usage.ingest(events)).toEqual({ inserted: 1, duplicates: 0 })
})

test('stores an event once that is sent again while the first transaction is open [usage 13]', async () => {
  const events = [buildEvent({ external_id: randomUUID() })]
  const close = await usage.holdTransaction(`lock table usage_events in share mode`)
  const sent = [usage.ingest(events), usage.ingest(events)]
  await eventually(async () => {
    const waiting = await usage.rows(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
    if (waiting.length < 2) throw new Error('not both wait yet')
  })
  await close()
  expect((await Promise.all(sent)).reduce((sum, { inserted }) => sum + inserted, 0)).toBe(1)
})

test('removes keys after DEDUPLICATION_DAYS, and keeps younger ones', async () => {
  const younger = [buildEvent({ external_id: randomUUID() })]
  const older = [buildEvent({ external_id: randomUUID() })]
  await usage.ingest(older)
  await usage.rows(`update event_keys set received_at = now() - interval '43 days'`)
  await usage.ingest(younger)
  await usage.rows(`update event_keys set received_at = now() - interval '41 days' where received_at > now() - interval '1 day'`)
  await eventually(async () => {
    await usage.rows(`select pg_notify('wake', 'remove-old-keys')`)
    if ((await usage.rows(`select from event_keys where received_at < now() - interval '42 days'`)).length > 0)
      throw new Error('not removed yet')
  })
  expect(await usage.ingest(younger)).toEqual({ inserted: 0, duplicates: 1 })
  expect(await usage.ingest(older)).toEqual({ inserted: 1, duplicates: 0 })
})

test('old keys are found by an index', async () => {
  using statements = recordStatements()
  await usage.rows(`insert into event_keys select gen_random_uuid(), gen_random_uuid() from generate_series(1, 20000); analyze event_keys`)
  await usage.rows(`select pg_notify('wake', 'remove-old-keys')`)
  const removal = await eventually(() => statements.findWithValues('delete from event_keys'))
  expect(await explain(usage, removal, 'costs off')).toContain('Index Scan using event_keys_by_receipt')
})

interface Keyed {
  events: SentEvent[]
  key: string
}

const ingestWithKey = ({ events, key }: Keyed) =>
  call(usage.connection, { operation: ingestUsageEvents, request: { events }, caller: usage.caller, idempotencyKey: key })

test('stores the events of a repeated request once, and rejects others under its key [usage 14]', async () => {
  const [name, key] = [randomUUID(), randomUUID()]
  const events = [buildEvent({ name }), buildEvent({ name })]
  expect(await ingestWithKey({ events, key })).toEqual({ inserted: 2, duplicates: 0 })
  expect(await ingestWithKey({ events, key })).toEqual({ inserted: 2, duplicates: 0 })
  expect(await usage.list({ name })).toHaveLength(2)
  await expect(ingestWithKey({ events: [buildEvent({ name })], key })).rejects.toMatchObject({ status: 422 })
  expect(await usage.list({ name })).toHaveLength(2)
})

test('opposite batches over the same customers at the same time do not deadlock [usage 20]', async () => {
  const readers = Array.from({ length: 20 }, () => randomUUID())
  const keys = Array.from({ length: 1_000 }, () => readers.map(() => randomUUID()))
  const batch = (round: number) =>
    readers.map((external_customer_id, index) =>
      buildEvent({ external_customer_id: `${external_customer_id}-${round}`, external_id: keys[round]?.[index] }),
    )
  const before = await countDeadlocks()
  for (let round = 0; round < 1_000; round += 8) {
    const rounds = Array.from({ length: Math.min(8, 1_000 - round) }, (_, offset) => round + offset)
    const replies = await Promise.all(rounds.flatMap((each) => [usage.ingest(batch(each)), usage.ingest(batch(each).toReversed())]))
    expect(replies.reduce((sum, { inserted }) => sum + inserted, 0)).toBe(rounds.length * readers.length)
  }
  expect(await countDeadlocks()).toBe(before)
}, 120_000)

async function countDeadlocks(): Promise<number> {
  const [row] = await usage.rows<{ deadlocks: string }>('select deadlocks from pg_stat_database where datname = current_database()')
  return Number(row?.deadlocks)
}

import { randomUUID } from 'node:crypto'
import { listUsageEventNames, listUsageEvents } from '@quittance/contracts/usage-events'
import { organizationCaller, userCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { openDatabase } from '@quittance/runtime/database'
import { explain, recordStatements } from '@quittance/testing/record-statements'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { database } from '../src/database.ts'
import { buildEvent, startUsage, type TestUsage } from './start-usage.ts'

let usage: TestUsage
beforeAll(async () => {
  usage = await startUsage()
})
afterAll(() => usage[Symbol.asyncDispose]())

const sumCounters = (kind: string, column: string) => `
  select organization_id, ${column}::text as counted, sum(delta)::int as events from list_counts where kind = '${kind}' group by 1, 2 order by 1, 2`
const countEvents = (column: string) => `
  select organization_id, ${column}::text as counted, count(*)::int as events from usage_events group by 1, 2 order by 1, 2`

async function assertCountersMatch(rows: TestUsage['rows'] = usage.rows): Promise<void> {
  expect(await rows(sumCounters('all', 'null'))).toEqual(await rows(countEvents('null')))
  expect(await rows(sumCounters('day', 'day'))).toEqual(await rows(countEvents(`(occurred_at at time zone 'UTC')::date`)))
  expect(await rows(sumCounters('name', `(name || ' ' || source)`))).toEqual(await rows(countEvents(`(name || ' ' || source)`)))
}

/** Compacts the changes now and waits until none is left. */
async function compactCounts(): Promise<void> {
  await eventually(async () => {
    await usage.rows(`select pg_notify('wake', 'compact-event-counts')`)
    if ((await usage.rows('select from event_count_changes')).length > 0) throw new Error('not compacted yet')
  })
}

const day = (date: string, time = '12:00:00') => `2026-03-${date}T${time}.000Z`

test('counters equal the events of every organization, day and name, before and after they are compacted', async () => {
  const [one, two] = [randomUUID(), randomUUID()]
  const user = userCaller({ userId: randomUUID(), organizationIds: [one, two] })
  const send = (name: string, timestamp: string, organization_id: string) => buildEvent({ name, timestamp, organization_id })
  await usage.ingest([send('a', day('01', '23:59:59'), one), send('a', day('02', '00:00:00'), one), send('b', day('02'), two)], user)
  await assertCountersMatch()
  await compactCounts()
  await assertCountersMatch()
  const external_id = randomUUID()
  await usage.ingest([send('b', day('02'), two), { ...send('a', day('03'), one), external_id }], user)
  await usage.ingest([{ ...send('a', day('03'), one), external_id }], user)
  await expect(
    usage.ingest([send('a', day('03'), one), { ...send('a', day('03'), one), customer_id: randomUUID() }], user),
  ).rejects.toThrow()
  await assertCountersMatch()
  await compactCounts()
  await assertCountersMatch()
  const total = async (request: object) => (await usage.call(listUsageEvents, request, user)).pagination.total_count
  expect([await total({}), await total({ organization_id: one }), await total({ name: 'b' }), await total({ query: 'A' })]).toEqual([
    5, 3, 2, 3,
  ])
  expect([await total({ source: 'user' }), await total({ source: 'system' }), await total({ name: 'none' })]).toEqual([5, 0, 0])
})

test('names have the earliest and the latest time of events that arrive in any order, compacted in between', async () => {
  const caller = organizationCaller(randomUUID())
  for (const date of ['05', '09', '02', '07']) {
    await usage.ingest([buildEvent({ name: 'pages.printed', timestamp: day(date) })], caller)
    await compactCounts()
  }
  await usage.ingest([buildEvent({ name: 'pages.printed', timestamp: day('03') })], caller)
  const { items } = await usage.call(listUsageEventNames, {}, caller)
  const seen = items.map(({ occurrences, first_seen, last_seen }) => [occurrences, Date.parse(first_seen), Date.parse(last_seen)])
  expect(seen).toEqual([[5, Date.parse(day('02')), Date.parse(day('09'))]])
})

test('a search that matches more than 100 names finds and counts the events of all of them', async () => {
  const caller = organizationCaller(randomUUID())
  const names = Array.from({ length: 120 }, (_, index) => `page.${index}`)
  await usage.ingest(
    [...names, 'other'].map((name) => buildEvent({ name })),
    caller,
  )
  const list = (request: object) => usage.call(listUsageEvents, { sorting: ['timestamp'], limit: 100, ...request }, caller)
  const [first, second] = [await list({ query: 'PAGE' }), await list({ query: 'PAGE', page: 2 })]
  expect([...first.items, ...second.items].map(({ name }) => name).toSorted()).toEqual(names.toSorted())
  expect([first.pagination.total_count, (await list({ source: 'user' })).pagination.total_count]).toEqual([120, 121])
  expect((await list({ query: 'PAGE', source: 'system' })).pagination.total_count).toBe(0)
})

test('deep pages continue in time order, over days', async () => {
  const caller = organizationCaller(randomUUID())
  const minutes = Array.from({ length: 1_300 }, (_, index) => index * 7)
  const time = (minute: number) => new Date(Date.parse(day('01')) + minute * 60_000).toISOString()
  const events = minutes.map((minute) => buildEvent({ timestamp: time(minute) }))
  await usage.ingest(events.slice(0, 650), caller)
  await compactCounts()
  await usage.ingest(events.slice(650), caller)
  const list = (sorting: string, page: number) => usage.list({ sorting: sorting as 'timestamp', page, limit: 100 }, caller)
  for (const page of [11, 13, 14]) {
    const expected = minutes.map(time).slice((page - 1) * 100, page * 100)
    expect((await list('timestamp', page)).map(({ timestamp }) => new Date(timestamp).toISOString())).toEqual(expected)
    const backwards = minutes
      .toReversed()
      .map(time)
      .slice((page - 1) * 100, page * 100)
    expect((await list('-timestamp', page)).map(({ timestamp }) => new Date(timestamp).toISOString())).toEqual(backwards)
  }
})

test('a list does not read the events of other customers or names, nor count those of the organization', async () => {
  using statements = recordStatements()
  const caller = organizationCaller(randomUUID())
  await usage.ingest(
    [buildEvent({ name: 'rare', external_customer_id: 'one' }), buildEvent({ name: 'frequent', external_customer_id: 'two' })],
    caller,
  )
  await usage.rows(`
    insert into usage_events (organization_id, owner_id, occurred_at, name, source, metadata)
    select organization_id, owner_id, occurred_at - n * interval '1 second', name, source, metadata
    from usage_events, generate_series(1, 20000) n where name = 'frequent';
    analyze usage_events`)
  const read = async (request: object) => (await usage.call(listUsageEvents, request, caller)).pagination.total_count
  const countRead = async (...words: string[]) => {
    const plan = await explain(usage, statements.findWithValues(...words), 'analyze, timing off')
    const read = plan.matchAll(/on usage_events_.*rows=([\d.]+) loops|Rows Removed by Filter: (\d+)/g)
    return Math.max(...[...read].map(([, found, removed]) => Number(found ?? removed)))
  }
  expect(await read({ limit: 7 })).toBe(20_002)
  expect(await countRead('limit 7', 'list_counts')).toBeLessThan(100)
  expect(await read({ limit: 8, external_customer_id: 'one' })).toBe(1)
  expect(await countRead('limit 8', 'e.owner_id =')).toBeLessThan(100)
  expect(await read({ limit: 9, query: 'RAR' })).toBe(1)
  expect(await countRead('limit 9', 'e.name =')).toBeLessThan(100)
  await usage.call(listUsageEventNames, { limit: 6 }, caller)
  expect(statements.find('limit 6', 'event_names')).not.toContain('usage_events')
})

test('the migration counts the events that exist and those of a request that ends while it waits', async () => {
  const url = new URL(usage.databaseUrl as string)
  const name = `${url.pathname.slice(1)}_old`
  await usage.rows(`create database ${name}`)
  url.pathname = `/${name}`
  const migrations = database.migrations.filter((each) => !each.name.endsWith('count-events'))
  const previous = await openDatabase({ ...database, migrations }, { url: url.href, poolMax: 1 })
  const client = await previous.pool.connect()
  try {
    const rows = (async (sql, values) => (await client.query(sql, values as unknown[])).rows) as TestUsage['rows']
    await rows(`insert into owners (organization_id, external_id) values (gen_random_uuid(), 'one'), (gen_random_uuid(), 'two')`)
    const insert = `insert into usage_events (organization_id, owner_id, occurred_at, name, source, metadata)
      select organization_id, id, now() - n * interval '5 hours', 'name-' || n % 3, 'user', '{}' from owners, generate_series(1, 30) n`
    await rows(insert)
    await rows('begin')
    await rows(insert)
    const migrating = openDatabase(database, { url: url.href, poolMax: 2 })
    await eventually(async () => {
      const waiting = 'select from pg_locks l join pg_database d on d.oid = l.database where d.datname = $1 and not granted'
      if ((await usage.rows(waiting, [name])).length === 0) throw new Error('the migration does not wait yet')
    })
    await rows('commit')
    await (await migrating).close()
    await rows(insert)
    expect(await rows('select sum(delta)::int as events from list_counts where kind = $1', ['all'])).toEqual([{ events: 180 }])
    await assertCountersMatch(rows)
  } finally {
    client.release()
    await previous.close()
    await usage.rows(`drop database ${name} with (force)`)
  }
})

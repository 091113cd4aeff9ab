import { migrateDatabase } from '@quittance/runtime/database'
import { cloneDatabase, connectTo, definitionBefore, type TestDatabase } from '@quittance/testing/database'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { database as definition } from '../src/database.ts'

let database: TestDatabase
let client: Awaited<ReturnType<typeof connectTo>>
beforeEach(async () => {
  database = await cloneDatabase('usage', definitionBefore(definition, 'bound-past-events'))
  client = await connectTo(database.runtimeUrl)
  await client.query(`insert into owners (organization_id, external_id) values (gen_random_uuid(), 'one')`)
})
afterEach(async () => {
  await client.end()
  await database.drop()
})

const update = () => migrateDatabase(definition, { url: database.migrationUrl, runtimeRole: 'test_runtime' })

/** Stores 30 events of the time. */
async function insertEvents(occurredAt: string): Promise<void> {
  const insert = `insert into usage_events (organization_id, owner_id, occurred_at, name, source, metadata)
    select organization_id, id, ${occurredAt}, 'tokens.used', 'user', '{}' from owners, generate_series(1, 30)`
  await client.query(insert)
}

const countByPartition = async () =>
  Object.fromEntries(
    (await client.query(`select tableoid::regclass::text as part, count(*)::int from usage_events group by 1`)).rows.map((row) => [
      row.part,
      row.count,
    ]),
  )

/** Creates the partition of a month, and returns how many events PostgreSQL read for that. */
async function createMonth(): Promise<{ created: number; read: number }> {
  const creator = await connectTo(database.runtimeUrl)
  try {
    await creator.query('begin')
    const month = `now() + interval '3 months'`
    const { rows: created } = await creator.query(`select ensure_usage_partitions(${month}, ${month}) as created`)
    const { rows: read } = await creator.query(
      `select sum(seq_tup_read)::int as read from pg_stat_xact_user_tables where relname like 'usage_events%'`,
    )
    return { ...created[0], ...read[0] }
  } finally {
    await creator.end()
  }
}

test('the update moves no event of the past, and a month is created without reading them', async () => {
  await insertEvents(`now() - interval '2 years'`)
  expect(await createMonth()).toEqual({ created: 1, read: 60 })
  await update()
  await insertEvents(`now() - interval '3 years'`)
  expect(await countByPartition()).toEqual({ usage_events_past: 60 })
  expect(await createMonth()).toEqual({ created: 1, read: 0 })
})

test('an event beyond the months that were created is stored, before and after the update', async () => {
  await insertEvents(`now() - interval '2 years'`)
  await insertEvents(`now() + interval '4 months'`)
  await update()
  expect(await countByPartition()).toEqual({ usage_events_default: 60 })
  await insertEvents(`now() + interval '5 months'`)
  expect(await countByPartition()).toEqual({ usage_events_default: 90 })
})

test('an update without such events stores later ones in the default partition', async () => {
  await update()
  await insertEvents(`now() + interval '4 months'`)
  await insertEvents(`now() - interval '4 years'`)
  expect(await countByPartition()).toEqual({ usage_events_default: 30, usage_events_past: 30 })
})

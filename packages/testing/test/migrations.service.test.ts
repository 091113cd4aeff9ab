import { migrateDatabase, type DatabaseDefinition } from '@quittance/runtime/database'
import { createLogger, type Logger } from '@quittance/runtime/logger'
import { migration } from '@quittance/runtime/schema'
import type { Client } from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { cloneDatabase, connectTo, type TestDatabase } from '../src/database.ts'
import { eventually } from '../src/eventually.ts'

const createNames = migration('20260101000000-create-names', ['create table names (name text)'])
const addAge = migration('20260102000000-add-age', [`insert into names values ('kept')`, 'alter table names add column age int'])
const failing = migration('20260103000000-fail', [`insert into names values ('not kept')`, 'alter table missing add column age int'])
const define = (...migrations: DatabaseDefinition['migrations']): DatabaseDefinition => ({ entities: [], migrations })

let database: TestDatabase
let client: Client

beforeEach(async () => {
  database = await cloneDatabase('migrations', define(createNames))
  client = await connectTo(database.url)
})

afterEach(async () => {
  await client.end()
  await database.drop()
})

const readNames = async (text: string) => (await client.query<{ name: string }>(text)).rows.map(({ name }) => name)
const readExecuted = () => readNames('select name from migrations order by id')
const migrate = (definition: DatabaseDefinition, more: { log?: Logger; lockAttempts?: number } = {}) =>
  migrateDatabase(definition, { url: database.migrationUrl, runtimeRole: 'test_runtime', ...more })

/** Reads the table in a transaction that stays open, as pg_dump does. */
async function holdLock(): Promise<Client> {
  const reader = await connectTo(database.url)
  await reader.query('set application_name = pg_dump; begin; select from names')
  return reader
}

/** Whether a migration waits for a lock on `names`. */
async function isWaiting(): Promise<boolean> {
  const { rowCount } = await client.query(`select from pg_locks where not granted and relation = 'names'::regclass`)
  return rowCount === 1
}

test('a failed migration is named and leaves the earlier ones applied, recorded and granted', async () => {
  const addPlaces = migration('20260102500000-add-places', ['create table places (name text)'])
  await expect(migrate(define(createNames, addAge, addPlaces, failing))).rejects.toThrow(
    /^The migration 20260103000000-fail failed: .*relation "missing" does not exist$/,
  )
  expect(await readExecuted()).toEqual([createNames.name, addAge.name, addPlaces.name])
  expect(await readNames('select name from names')).toEqual(['kept'])
  const runtime = await connectTo(database.runtimeUrl)
  expect((await runtime.query('select from places')).rowCount).toBe(0)
  await runtime.end()
  const corrected = migration(failing.name, [`insert into names values ('corrected')`])
  const all = define(createNames, addAge, addPlaces, corrected)
  expect([await migrate(all), await migrate(all)]).toEqual([[corrected.name], []])
  expect(await readNames('select name from names')).toEqual(['kept', 'corrected'])
})

test('readers pass between the attempts of a migration that waits for a lock', async () => {
  const reader = await holdLock()
  const warnings: object[] = []
  const log = { ...createLogger('migrate', 'silent'), warn: (fields: object) => void warnings.push(fields) } as Logger
  const migrated = migrate(define(createNames, addAge), { log })
  await eventually(async () => expect(await isWaiting()).toBe(true))
  await eventually(() =>
    expect(warnings).toMatchObject([
      { migration: addAge.name, attempt: 1, holders: expect.stringMatching(/^process \d+ \(pg_dump\) on names$/) as string },
    ]),
  )
  await client.query(`set lock_timeout = '100ms'`)
  expect(await readNames('select name from names')).toEqual([])
  await reader.end()
  await migrated
  expect(await readExecuted()).toEqual([createNames.name, addAge.name])
  expect(await readNames('select name from names')).toEqual(['kept'])
})

test('migrators that start together run each migration once, also if the first one waits for a lock', async () => {
  const reader = await holdLock()
  const definition = define(createNames, addAge)
  const migrated = Promise.all([1, 2, 3].map(() => migrate(definition)))
  await eventually(async () => expect(await isWaiting()).toBe(true))
  await reader.end()
  await migrated
  expect(await readExecuted()).toEqual([createNames.name, addAge.name])
  expect(await readNames('select name from names')).toEqual(['kept'])
})

test('a migration that gets no lock is named with the holder of the lock, and leaves nothing', async () => {
  const reader = await holdLock()
  await expect(migrate(define(createNames, addAge), { lockAttempts: 1 })).rejects.toThrow(
    /^The migration 20260102000000-add-age got no lock on a table in 1 attempts\. .* by process \d+ \(pg_dump\) on names\.$/,
  )
  await reader.end()
  expect(await readExecuted()).toEqual([createNames.name])
  expect(await readNames('select name from names')).toEqual([])
})

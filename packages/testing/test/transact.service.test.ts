import { randomUUID } from 'node:crypto'
import { Conflict } from '@quittance/contracts/errors'
import { openDatabase, type Database } from '@quittance/runtime/database'
import { createLogger } from '@quittance/runtime/log'
import { migration } from '@quittance/runtime/migration'
import { createOutboxBell } from '@quittance/runtime/outbox-bell'
import { transact } from '@quittance/runtime/transact'
import { runInTransaction } from '@quittance/runtime/transaction'
import { listenForWakeUps } from '@quittance/runtime/wake'
import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { cloneDatabase, type TestDatabase } from '../src/database.ts'
import { eventually } from '../src/eventually.ts'

const definition = {
  entities: [],
  migrations: [migration('20260101000000-names', [`create table names (name text primary key check (name <> 'forbidden'))`])],
}
const insert = (name: string) => ({ name: 'insert', text: 'insert into names values ($1)', values: [name] })
const scope = {
  caller: { kind: 'anonymous' as const },
  unit: { now: new Date(), log: createLogger('test', 'silent'), traceparent: `00-${'1'.repeat(32)}-${'1'.repeat(16)}-00` },
}

let cloned: TestDatabase
let other: Client
let database: Database

beforeAll(async () => {
  cloned = await cloneDatabase('orders', definition)
  // One connection: whatever is left on it is met by the next transaction.
  database = await openDatabase(definition, { url: cloned.url, poolMax: 1 })
  other = new Client({ connectionString: cloned.url })
  await other.connect()
})
afterAll(async () => {
  await other.end()
  await database.close()
  await cloned.drop()
})
beforeEach(async () => {
  await database.pool.query('truncate names')
})

const names = async () => (await database.pool.query<{ name: string }>('select name from names order by 1')).rows.map(({ name }) => name)

test('what goes out with the commit is part of it, and where it fails nothing is written', async () => {
  await transact(database, async ({ executeLast }) => executeLast(insert('alone')))
  await transact(database, async ({ execute, executeLast }) => {
    await execute({ ...insert('a'), parameters: [] }, ['first'])
    executeLast(insert('last'))
  })
  const failing = transact(database, async ({ execute, executeLast }) => {
    await execute({ ...insert('a'), parameters: [] }, ['lost'])
    executeLast(insert('forbidden'))
    executeLast(insert('lost too'))
  })
  await expect(failing).rejects.toMatchObject({ code: '23514' })
  expect(await names()).toEqual(['alone', 'first', 'last'])
})

test('what throws writes nothing, and its connection serves the next', async () => {
  const failing = transact(database, async ({ execute }) => {
    await execute({ ...insert('a'), parameters: [] }, ['lost'])
    throw new Error('on purpose')
  })
  await expect(failing).rejects.toThrow('on purpose')
  await transact(database, async ({ executeLast }) => executeLast(insert('kept')))
  expect(await names()).toEqual(['kept'])
})

test('a failure that somebody caught does not become a commit that wrote nothing', async () => {
  const failing = transact(database, async ({ execute }) => {
    await execute({ ...insert('a'), parameters: [] }, ['first'])
    await execute({ ...insert('a'), parameters: [] }, ['forbidden']).catch(() => {})
  })
  await expect(failing).rejects.toThrow('The transaction had failed')
  expect(await names()).toEqual([])
})

test('what stood behind a statement that failed is prepared when it is asked again', async () => {
  const unknown = (name: string) => ({ name, text: `insert into names values ($1) -- ${name}`, values: [name] })
  const failing = transact(database, async ({ executeLast }) => {
    executeLast({ name: 'wrong', text: 'insert into nowhere values ($1)', values: ['a'] })
    executeLast(unknown('behind'))
  })
  await expect(failing).rejects.toMatchObject({ code: '42P01' })
  await transact(database, async ({ executeLast }) => executeLast(unknown('behind')))
  await transact(database, async ({ executeLast }) => executeLast({ ...unknown('behind'), values: ['again'] }))
  expect(await names()).toEqual(['again', 'behind'])
})

test('rows are what the driver makes of them, the first time and when the statement is known', async () => {
  const typed = {
    name: 'typed',
    text: `select 1 as one, null::text as nothing, '{"a": [1]}'::jsonb as json, true as yes where $1`,
    parameters: [],
  }
  const asked = () => transact(database, async ({ execute }) => [await execute(typed, [true]), await execute(typed, [false])])
  const row = { one: 1, nothing: null, json: { a: [1] }, yes: true }
  expect([await asked(), await asked()]).toEqual([
    [[row], []],
    [[row], []],
  ])
})

test('work that begins before its condition is known gets no answer where that is not kept, and writes nothing', async () => {
  const refused = new Error('not to be done')
  let went = 0
  let late: Promise<unknown> | undefined
  const failing = transact(database, async ({ execute, onlyIf, giveUp }) => {
    const condition = execute({ ...insert('a'), parameters: [] }, ['asked']).then(() => {
      giveUp()
      throw refused
    })
    onlyIf(condition)
    const work = async () => {
      await execute({ ...insert('a'), parameters: [] }, ['begun'])
      went += 1
    }
    late = work()
    late.catch(() => {})
    await condition
  })
  await expect(failing).rejects.toBe(refused)
  await expect(late).rejects.toBe(refused)
  expect({ went, names: await names() }).toEqual({ went: 0, names: [] })
})

test('a connection that is cut in the middle takes its transaction with it, and the next gets another', async () => {
  const cut = transact(database, async ({ execute, executeLast }) => {
    await execute({ ...insert('a'), parameters: [] }, ['lost'])
    await other.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'quittance'
      and datname = current_database()`)
    executeLast(insert('lost too'))
  })
  await expect(cut).rejects.toThrow()
  await eventually(async () => expect(await names()).toEqual([]))
  await transact(database, async ({ executeLast }) => executeLast(insert('kept')))
  expect(await names()).toEqual(['kept'])
})

test('who is refused by a unique constraint looks again, and then finds what is in the way', async () => {
  let rounds = 0
  const adding = runInTransaction(database, scope, async ({ rows }) => {
    rounds += 1
    const found = await rows('find', 'select from names where name = :name', { name: 'taken' })
    if (found.length > 0) throw new Conflict('taken')
    await other.query(`insert into names values ('taken')`)
    await rows('add', 'insert into names values (:name)', { name: 'taken' })
  })
  await expect(adding).rejects.toThrow(Conflict)
  expect(rounds).toBe(2)
})

test('a unique violation that nobody names is told as it is, after five rounds', async () => {
  await database.pool.query(`insert into names values ('taken')`)
  let rounds = 0
  const adding = runInTransaction(database, scope, async ({ rows }) => {
    rounds += 1
    await rows('add', 'insert into names values (:name)', { name: 'taken' })
  })
  await expect(adding).rejects.toMatchObject({ code: '23505' })
  expect(rounds).toBe(5)
})

test('without a relay in the process others are told by few notifications; with one it is rung itself', async () => {
  const wakeUps = await listenForWakeUps(cloned.url, scope.unit.log)
  let told = 0
  wakeUps.on('outbox', () => void (told += 1))
  const bell = createOutboxBell(database.pool)
  for (let ring = 0; ring < 100; ring++) bell.ring()
  await eventually(() => expect(told).toBeGreaterThan(0))
  const id = randomUUID()
  wakeUps.on(id, () => void (told += 1000))
  let rung = 0
  bell.heardBy(() => void (rung += 1))
  bell.ring()
  await database.pool.query(`select pg_notify('wake', $1)`, [id])
  // Notifications come in the order of their commits: none of the hundred is behind this one.
  await eventually(() => expect(told).toBeGreaterThanOrEqual(1000))
  expect({ rung, few: told - 1000 <= 2 }).toEqual({ rung: 1, few: true })
  await wakeUps.close()
})

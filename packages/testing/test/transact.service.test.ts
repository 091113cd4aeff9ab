import { randomUUID } from 'node:crypto'
import { Conflict } from '@quittance/contracts/errors'
import { openDatabase, type Database } from '@quittance/runtime/database'
import type { Transaction } from '@quittance/runtime/handler'
import { migration } from '@quittance/runtime/schema'
import { createOutboxNotifier } from '@quittance/runtime/internal/database/outbox-notifier'
import { on, reactionPoint } from '@quittance/runtime/reactions'
import { runDatabaseTransaction } from '@quittance/runtime/database-transaction'
import { runInTransaction } from '@quittance/runtime/transaction'
import { anyScope } from './ledger.ts'
import { listenForNotifications } from '@quittance/runtime/internal/jobs/notification-listener'
import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { cloneDatabase, silentWork, type TestDatabase } from '../src/database.ts'
import { eventually } from '../src/eventually.ts'

const definition = {
  entities: [],
  migrations: [migration('20260101000000-names', [`create table names (name text primary key check (name <> 'forbidden'))`])],
}
const insert = (name: string) => ({ name: 'insert', text: 'insert into names values ($1)', values: [name] })
const scope = {
  caller: { kind: 'anonymous' as const },
  unit: silentWork(),
}

let cloned: TestDatabase
let other: Client
let database: Database

beforeAll(async () => {
  cloned = await cloneDatabase('orders', definition)
  // One connection: state left on it affects the next transaction.
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

const insertName = `insert into names select :name::text where ${anyScope}`
const names = async () => (await database.pool.query<{ name: string }>('select name from names order by 1')).rows.map(({ name }) => name)

test('statements sent with the commit belong to it; if one fails nothing is written', async () => {
  await runDatabaseTransaction(database, async ({ executeWithCommit }) => executeWithCommit(insert('alone')))
  await runDatabaseTransaction(database, async ({ execute, executeWithCommit }) => {
    await execute({ ...insert('a'), parameters: [] }, ['first'])
    executeWithCommit(insert('last'))
  })
  const failing = runDatabaseTransaction(database, async ({ execute, executeWithCommit }) => {
    await execute({ ...insert('a'), parameters: [] }, ['lost'])
    executeWithCommit(insert('forbidden'))
    executeWithCommit(insert('lost too'))
  })
  await expect(failing).rejects.toMatchObject({ code: '23514' })
  expect(await names()).toEqual(['alone', 'first', 'last'])
})

test('work that throws writes nothing, and its connection serves the next transaction', async () => {
  const failing = runDatabaseTransaction(database, async ({ execute }) => {
    await execute({ ...insert('a'), parameters: [] }, ['lost'])
    throw new Error('on purpose')
  })
  await expect(failing).rejects.toThrow('on purpose')
  await runDatabaseTransaction(database, async ({ executeWithCommit }) => executeWithCommit(insert('kept')))
  expect(await names()).toEqual(['kept'])
})

test('a caught statement failure does not become an empty commit', async () => {
  const failing = runDatabaseTransaction(database, async ({ execute }) => {
    await execute({ ...insert('a'), parameters: [] }, ['first'])
    await execute({ ...insert('a'), parameters: [] }, ['forbidden']).catch(() => {})
  })
  await expect(failing).rejects.toThrow('The transaction was rolled back')
  expect(await names()).toEqual([])
})

test('a statement after a failed one is prepared when it is sent again', async () => {
  const unknown = (name: string) => ({ name, text: `insert into names values ($1) -- ${name}`, values: [name] })
  const failing = runDatabaseTransaction(database, async ({ executeWithCommit }) => {
    executeWithCommit({ name: 'wrong', text: 'insert into nowhere values ($1)', values: ['a'] })
    executeWithCommit(unknown('behind'))
  })
  await expect(failing).rejects.toMatchObject({ code: '42P01' })
  await runDatabaseTransaction(database, async ({ executeWithCommit }) => executeWithCommit(unknown('behind')))
  await runDatabaseTransaction(database, async ({ executeWithCommit }) => executeWithCommit({ ...unknown('behind'), values: ['again'] }))
  expect(await names()).toEqual(['again', 'behind'])
})

test('rows are parsed by the driver on first use and when the statement is prepared', async () => {
  const typed = {
    name: 'typed',
    text: `select 1 as one, null::text as nothing, '{"a": [1]}'::jsonb as json, true as yes where $1`,
    parameters: [],
  }
  const runTwice = () =>
    runDatabaseTransaction(database, async ({ execute }) => [await execute(typed, [true]), await execute(typed, [false])])
  const row = { one: 1, nothing: null, json: { a: [1] }, yes: true }
  expect([await runTwice(), await runTwice()]).toEqual([
    [[row], []],
    [[row], []],
  ])
})

test('work started before its condition fails gets no result and writes nothing', async () => {
  const conditionError = new Error('must not run')
  let completed = 0
  let dependentWork: Promise<unknown> | undefined
  const failing = runDatabaseTransaction(database, async ({ execute, requireFirst, failFast }) => {
    const condition = execute({ ...insert('a'), parameters: [] }, ['asked']).then(() => {
      failFast()
      throw conditionError
    })
    requireFirst(condition)
    const work = async () => {
      await execute({ ...insert('a'), parameters: [] }, ['begun'])
      completed += 1
    }
    dependentWork = work()
    dependentWork.catch(() => {})
    await condition
  })
  await expect(failing).rejects.toBe(conditionError)
  await expect(dependentWork).rejects.toBe(conditionError)
  expect({ completed, names: await names() }).toEqual({ completed: 0, names: [] })
})

test('a broken connection ends its transaction, and the next one gets another', async () => {
  const failing = runDatabaseTransaction(database, async ({ execute, executeWithCommit }) => {
    await execute({ ...insert('a'), parameters: [] }, ['lost'])
    await other.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'quittance'
      and datname = current_database()`)
    executeWithCommit(insert('lost too'))
  })
  await expect(failing).rejects.toThrow()
  await eventually(async () => expect(await names()).toEqual([]))
  await runDatabaseTransaction(database, async ({ executeWithCommit }) => executeWithCommit(insert('kept')))
  expect(await names()).toEqual(['kept'])
})

test('reactions run in order in the transaction that raises their point, and an error of one rolls back everything', async () => {
  const point = reactionPoint<string>('webhooks.name.added')
  const add =
    (name: string) =>
    async ({ sql }: Transaction, payload: string) =>
      void (await sql('add', insertName, { name: `${payload} ${name}` }))
  const seen: string[][] = []
  const look = async ({ sql }: Transaction) => {
    seen.push((await sql<{ name: string }>('look', `select name from names where ${anyScope} order by 1`)).map(({ name }) => name))
  }
  const raise = (payload: string, steps: Parameters<typeof on<string>>[1]) =>
    runInTransaction({ ...database, reactions: [on(point, steps)] }, scope, async ({ sql, react }) => {
      await sql('add', insertName, { name: payload })
      await react(point, payload)
    })
  await raise('kept', [look, add('first'), look])
  const failing = raise('lost', [add('first'), () => Promise.reject(new Error('not now'))])
  await expect(failing).rejects.toThrow('not now')
  expect({ seen, names: await names() }).toEqual({ seen: [['kept'], ['kept', 'kept first']], names: ['kept', 'kept first'] })
})

test('after a unique violation the transaction is retried and finds the existing row', async () => {
  let attempts = 0
  const adding = runInTransaction(database, scope, async ({ sql }) => {
    attempts += 1
    const found = await sql('find', `select from names where name = :name and ${anyScope}`, { name: 'taken' })
    if (found.length > 0) throw new Conflict('taken')
    await other.query(`insert into names values ('taken')`)
    await sql('add', insertName, { name: 'taken' })
  })
  await expect(adding).rejects.toThrow(Conflict)
  expect(attempts).toBe(2)
})

test('an unhandled unique violation is thrown unchanged after five attempts', async () => {
  await database.pool.query(`insert into names values ('taken')`)
  let attempts = 0
  const adding = runInTransaction(database, scope, async ({ sql }) => {
    attempts += 1
    await sql('add', insertName, { name: 'taken' })
  })
  await expect(adding).rejects.toMatchObject({ code: '23505' })
  expect(attempts).toBe(5)
})

test('notifies other replicas in few notifications, or wakes a relay in the process directly', async () => {
  const wakeUps = await listenForNotifications(cloned.url, scope.unit.log)
  let notifications = 0
  wakeUps.on('outbox', () => void (notifications += 1))
  const notifier = createOutboxNotifier(database.pool)
  for (let index = 0; index < 100; index++) notifier.notify()
  await eventually(() => expect(notifications).toBeGreaterThan(0))
  const id = randomUUID()
  wakeUps.on(id, () => void (notifications += 1000))
  let localCalls = 0
  notifier.setLocalListener(() => void (localCalls += 1))
  notifier.notify()
  await database.pool.query(`select pg_notify('wake', $1)`, [id])
  // Notifications arrive in commit order: none of the hundred follows this one.
  await eventually(() => expect(notifications).toBeGreaterThanOrEqual(1000))
  expect({ localCalls, few: notifications - 1000 <= 2 }).toEqual({ localCalls: 1, few: true })
  await wakeUps.close()
})

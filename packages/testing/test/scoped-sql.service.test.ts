import { randomUUID } from 'node:crypto'
import { getOrder, updateOrder } from '@quittance/contracts/orders'
import type { Caller } from '@quittance/contracts/caller'
import { openDatabase, type Database } from '@quittance/runtime/database'
import { command, query, type Handler, type Transaction } from '@quittance/runtime/handler'
import { runHandler } from '@quittance/runtime/internal/handlers/run-handler'
import { migration } from '@quittance/runtime/schema'
import { systemCommand, systemQuery } from '@quittance/runtime/system-handler'
import { runInTransaction } from '@quittance/runtime/transaction'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { cloneDatabase, silentWork, type TestDatabase } from '../src/database.ts'

const definition = {
  entities: [],
  migrations: [
    migration('20260101000000-notes', [`create table notes (organization_id uuid not null, customer_id uuid, text text not null)`]),
  ],
}
const [a, b] = [randomUUID(), randomUUID()]
const customerId = randomUUID()
const organization = (id: string): Caller => ({ kind: 'organization', organization_id: id, token_id: 'x', client_id: null, user_id: null })
const customer: Caller = { kind: 'customer', organization_id: a, customer_id: customerId, token_id: 'x' }
const unit = silentWork()

const inScope = 'organization_id = any (:scope_organizations) and (:scope_customer::uuid is null or customer_id = :scope_customer)'
const select = `select text from notes where ${inScope} order by text`
const rename = `update notes set text = 'changed ' || text where ${inScope}`
const selectAll = 'select text from notes order by text'

let cloned: TestDatabase
let database: Database

beforeAll(async () => {
  cloned = await cloneDatabase('orders', definition)
  database = await openDatabase(definition, { url: cloned.url, poolMax: 2 })
})
afterAll(async () => {
  await database.close()
  await cloned.drop()
})
beforeEach(async () => {
  await database.pool.query('truncate notes')
  await database.pool.query(`insert into notes values ($1, null, 'a'), ($1, $3, 'a, customer'), ($2, null, 'b')`, [a, b, customerId])
})

const run = (handler: Handler, caller: Caller) =>
  runHandler(handler, { request: {}, caller, key: undefined, unit, database, inSlot: (work) => work(), assertInTime: () => {} })
const texts = async (sql: Transaction['sql'], text = select) => (await sql<{ text: string }>('notes.select', text)).map((row) => row.text)
const all = async () => (await database.pool.query<{ text: string }>(selectAll)).rows.map((row) => row.text)

test('a statement without a condition on an organization returns rows of the caller only', async () => {
  const read = query(getOrder, async (_, { sql }) => (await texts(sql)) as never)
  expect(await run(read, organization(a))).toEqual(['a', 'a, customer'])
  expect(await run(read, organization(b))).toEqual(['b'])
  expect(await run(read, customer)).toEqual(['a, customer'])
  const user: Caller = { kind: 'user', user_id: randomUUID(), organization_ids: [a, b], token_id: 'x', client_id: null }
  expect(await run(read, user)).toEqual(['a', 'a, customer', 'b'])
  for (const kind of ['anonymous', 'operator'] as const) expect(await run(read, { kind })).toEqual([])
})

test('a command changes rows of its caller only', async () => {
  const write = command(updateOrder, async (_, { sql }) => (await sql('notes.rename', rename)) as never)
  await run(write, organization(b))
  expect(await all()).toEqual(['a', 'a, customer', 'changed b'])
  await run(write, customer)
  expect(await all()).toEqual(['a', 'changed a, customer', 'changed b'])
})

test('a statement without the scope is rejected, and its command writes nothing', async () => {
  const leak = command(updateOrder, async (_, { sql }) => {
    await sql('notes.rename', rename)
    return (await sql('notes.all', selectAll)) as never
  })
  await expect(run(leak, organization(a))).rejects.toThrow('Statement notes.all lacks :scope_organizations')
  expect(await all()).toEqual(['a', 'a, customer', 'b'])
})

test('bindOrganization moves the scope to the organization it names', async () => {
  const seen = await runInTransaction(database, { caller: { kind: 'anonymous' }, unit }, async ({ sql, bindOrganization }) => {
    const before = await texts(sql)
    bindOrganization(b)
    return [before, await texts(sql)]
  })
  expect(seen).toEqual([[], ['b']])
})

test('only declared handlers have system access when they run', async () => {
  const reason = 'a test'
  const declared = [
    systemQuery(getOrder, { reason }, async (_, { systemSql }) => (await systemSql('notes.all', selectAll)) as never),
    systemCommand(updateOrder, { reason }, async (_, { systemSql }) => (await systemSql('notes.all', selectAll)) as never),
  ]
  for (const handler of declared) expect(await run(handler, organization(a))).toHaveLength(3)
  const others = [
    query(getOrder, (_, context) => ('systemSql' in context) as never),
    command(updateOrder, (_, context) => ('systemSql' in context) as never),
  ]
  for (const handler of others) expect(await run(handler, organization(a))).toBe(false)
})

import { randomBytes } from 'node:crypto'
import { openSecret, sealSecret } from '@quittance/runtime/encryption'
import type { JobContext } from '@quittance/runtime/handler'
import { metrics } from '@quittance/runtime/metrics'
import { createResealJob } from '@quittance/runtime/reseal-secrets'
import { createSystemSql, type SystemSql } from '@quittance/sql/sql-runner'
import { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { cloneDatabase, type TestDatabase } from '../src/database.ts'

const [newKey, oldKey, lostKey] = [randomBytes(32), randomBytes(32), randomBytes(32)] as const
const context = (id: string) => `secret ${id}`
const seal = (id: string, secret: string, key: Uint8Array = oldKey) => sealSecret(secret, { keys: [key], context: context(id) })

const resealJob = createResealJob({
  getKeys: () => [newKey, oldKey],
  columns: [{ table: 'things', column: 'secret', type: 'text', key: ['id', 'text'], contextOn: 'id', context }],
})

let database: TestDatabase
let pool: Pool
beforeAll(async () => {
  database = await cloneDatabase('reseal', { entities: [], migrations: [] })
  // The last one may still be closing when the database is dropped.
  pool = new Pool({ connectionString: database.url }).on('error', () => {})
  await pool.query('create table things (id text primary key, secret text)')
})
beforeEach(() => pool.query('truncate things'))
afterAll(async () => {
  await pool.end()
  await database.drop()
})

const sql = createSystemSql({ execute: async ({ text }, values) => (await pool.query(text, [...values])).rows }, 'runs the job')
const insert = (rows: readonly (readonly [id: string, secret: string])[]) =>
  pool.query('insert into things select * from unnest($1::text[], $2::text[])', [rows.map(([id]) => id), rows.map(([, secret]) => secret)])

/** Returns the secrets that the new key alone opens, by id; null for the others. */
async function readSecrets(): Promise<Record<string, string | null>> {
  const { rows } = await pool.query<{ id: string; secret: string }>('select id, secret from things order by id')
  const open = ({ id, secret }: { id: string; secret: string }) => {
    try {
      return openSecret(secret, { keys: [newKey], context: context(id) })
    } catch {
      return null
    }
  }
  return Object.fromEntries(rows.map((row) => [row.id, open(row)]))
}

async function runJob({ before = async () => {} }: { before?: (statement: string) => Promise<void> } = {}) {
  const log = { info: vi.fn(), error: vi.fn() }
  const statements: string[] = []
  const systemSql: SystemSql = async (name, text, values) => {
    const [statement = ''] = name.split(':')
    statements.push(statement)
    await before(statement)
    return sql(name, text, values)
  }
  expect(await resealJob.run({ systemSql, log, isStopping: () => false } as unknown as JobContext)).toBe(false)
  return { log, statements }
}

test('seals all rows in batches, and afterwards only counts', async () => {
  const ids = Array.from({ length: 250 }, (_, index) => `thing-${1_000 + index}`)
  await insert(ids.map((id) => [id, seal(id, `secret of ${id}`)]))
  const { log, statements } = await runJob()
  expect(await readSecrets()).toEqual(Object.fromEntries(ids.map((id) => [id, `secret of ${id}`])))
  expect(statements.filter((name) => name === 'reseal.store')).toHaveLength(3)
  expect(log.info).toHaveBeenCalledWith({ column: 'things.secret', resealed: 250, left: 0 }, 'secrets.resealed')
  expect((await runJob()).statements).toEqual(['reseal.count'])
})

test('a secret that is changed between the read and the write stays as it was changed', async () => {
  await insert([['a', seal('a', 'earlier')]])
  const later = seal('a', 'later')
  await runJob({
    async before(statement) {
      if (statement === 'reseal.store') await pool.query(`update things set secret = $1`, [later])
    },
  })
  expect((await pool.query('select secret from things')).rows).toEqual([{ secret: later }])
  await runJob()
  expect(await readSecrets()).toEqual({ a: 'later' })
})

test('does not wait for a row that a transaction changes, and its change wins', async () => {
  await insert([
    ['a', seal('a', 'earlier')],
    ['b', seal('b', 'other')],
  ])
  const client = await pool.connect()
  await client.query('begin')
  await client.query(`update things set secret = $1 where id = 'a'`, [seal('a', 'later', newKey)])
  await runJob()
  await client.query('commit')
  client.release()
  expect(await readSecrets()).toEqual({ a: 'later', b: 'other' })
})

test('a row that no key opens is logged once, left as it is and counted, and stops no other', async () => {
  const lost = seal('m', 'lost', lostKey)
  await insert([
    ['a', seal('a', 'first')],
    ['m', lost],
    ['z', seal('z', 'last')],
  ])
  const { log } = await runJob()
  expect(await readSecrets()).toEqual({ a: 'first', m: null, z: 'last' })
  expect((await pool.query(`select secret from things where id = 'm'`)).rows).toEqual([{ secret: lost }])
  expect(log.error).toHaveBeenCalledWith({ column: 'things.secret', count: 1, id: 'm', err: expect.any(Error) }, 'secrets.unreadable')
  expect(log.info).toHaveBeenCalledWith({ column: 'things.secret', resealed: 2, left: 1 }, 'secrets.resealed')
  expect(await metrics.metrics()).toMatch(/^secrets_under_old_keys{.*column="things.secret".*} 1$/m)
  expect((await runJob()).log.error).not.toHaveBeenCalled()
})

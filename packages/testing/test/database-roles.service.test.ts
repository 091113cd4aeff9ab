import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectTo } from '../src/database.ts'
import { createDisposableFolder } from '../src/engines/disposable-folder.ts'
import { onPath } from '../src/engines/find-program.ts'
import { startPostgres, type Postgres } from '../src/engines/postgres.ts'
import { ensureDatabases } from '../src/engines/service-database.ts'

const initScript = join(import.meta.dirname, '../../../infra/postgres/init.sh')
const names = ['auth', 'orders', 'invoices', 'webhooks', 'mail', 'usage']

let folder: string
let servers: Record<string, Postgres>

/** A server each, because roles and the database `postgres` are shared by all databases of a server. */
beforeAll(async () => {
  folder = createDisposableFolder('roles')
  const start = (name: string) => startPostgres({ dataDir: join(folder, name), fast: true })
  servers = { 'npm start': await start('start'), 'init.sh': await start('script') }
})

afterAll(async () => {
  await Promise.all(Object.values(servers).map((server) => server.stop()))
  rmSync(folder, { recursive: true })
})

const preparations: Record<string, (server: Postgres) => Promise<void>> = {
  'npm start': (server) =>
    ensureDatabases(
      server.url('postgres'),
      names.map((name) => ({ name, password: 'owner', runtimePassword: 'runtime' })),
    ),
  async 'init.sh'(server) {
    const { hostname, port, password } = new URL(server.url('postgres'))
    const passwords = names.flatMap((name) => [
      [`MIGRATION_DATABASE_PASSWORD_${name.toUpperCase()}`, 'owner'],
      [`DATABASE_PASSWORD_${name.toUpperCase()}`, 'runtime'],
    ])
    const env = { ...process.env, PGHOST: hostname, PGPORT: port, PGPASSWORD: password, ...Object.fromEntries(passwords) }
    const { status, stderr } = spawnSync('bash', [initScript], { env, encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  },
}

/** `init.sh` needs psql, which is in the container of PostgreSQL and on machines of the gate. */
const psql = onPath('psql')
const hasPsql = psql !== null && spawnSync(psql, ['--version']).status === 0
const runnable = Object.keys(preparations).filter((name) => name !== 'init.sh' || hasPsql)

test.each(runnable)('%s lets a service open its own database only, without temporary tables and large objects', async (name) => {
  const server = servers[name] as Postgres
  const prepare = preparations[name] as (server: Postgres) => Promise<void>
  await prepare(server)
  // As at every later start.
  await prepare(server)
  const credentials = { user: 'orders_runtime', password: 'runtime' }
  const runtime = await connectTo(server.url('orders', credentials))
  for (const sql of ['create temporary table mine (id int)', 'select lo_creat(-1)', 'select lo_create(0)', `select lo_from_bytea(0, '')`])
    await expect(runtime.query(sql)).rejects.toMatchObject({ code: '42501' })
  await runtime.end()
  for (const database of ['postgres', 'template1', ...names.filter((each) => each !== 'orders')])
    await expect(connectTo(server.url(database, credentials))).rejects.toMatchObject({ code: '42501' })
  await expect(connectTo(server.url('postgres', { user: 'orders', password: 'owner' }))).rejects.toMatchObject({ code: '42501' })
})

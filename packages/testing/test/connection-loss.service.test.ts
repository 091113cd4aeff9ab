import { openDatabase } from '@quittance/runtime/database'
import { runDatabaseTransaction } from '@quittance/runtime/database-transaction'
import { runAsLeader } from '@quittance/runtime/internal/jobs/leader-election'
import { createLeaderSession } from '@quittance/runtime/internal/jobs/leader-session'
import { createLogger } from '@quittance/runtime/logger'
import { isDatabaseUnavailable } from '@quittance/runtime/unavailable'
import { Client, type PoolClient } from 'pg'
import { expect, test, vi } from 'vitest'
import { cloneDatabase } from '../src/database.ts'
import { eventually } from '../src/eventually.ts'
import { startTestService } from '../src/harness.ts'
import { ledger } from './ledger.ts'

const sleep = { name: '', text: 'select pg_sleep(2)', parameters: [] }
const one = { name: '', text: 'select 1 as one', parameters: [] }

type AnyClient = Pick<PoolClient, 'query'> & { connectionParameters: { application_name: string; query_timeout: number } }

/** Shortens the time after which a client gives up a statement, and returns what it was. */
function giveUpSoon({ connectionParameters }: AnyClient): number {
  const { query_timeout } = connectionParameters
  connectionParameters.query_timeout = 100
  return query_timeout
}

const names = ['quittance', 'quittance consumers', 'quittance outbox-relay', 'quittance wake']

test('PostgreSQL ends every connection of a service within 25 s after its machine vanished', async () => {
  const connect = vi.spyOn(Client.prototype, 'connect')
  const service = await startTestService(ledger())
  const settings = `select current_setting('tcp_keepalives_idle') as idle, current_setting('tcp_keepalives_interval') as interval,
    current_setting('tcp_keepalives_count') as count, current_setting('tcp_user_timeout') as "limit"`
  await eventually(async () => {
    const clients = connect.mock.contexts as unknown as AnyClient[]
    const read = async (name: string) =>
      (await clients.findLast(({ connectionParameters }) => connectionParameters.application_name === name)?.query(settings))?.rows
    const found = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await read(name)] as const)))
    expect(found).toEqual(Object.fromEntries(names.map((name) => [name, [{ idle: '10', interval: '5', count: '3', limit: '25000' }]])))
  })
  connect.mockRestore()
  await service[Symbol.asyncDispose]()
})

test('a statement without a result ends its connection, and the pool opens another', async () => {
  const definition = { entities: [], migrations: [] }
  const cloned = await cloneDatabase('orders', definition)
  const database = await openDatabase(definition, { url: cloned.url, poolMax: 1 })
  for (const work of [() => database.execute(sleep, []), () => runDatabaseTransaction(database, ({ execute }) => execute(sleep, []))]) {
    const client = await database.pool.connect()
    expect(giveUpSoon(client as never)).toBe(30_000)
    client.release()
    const error: unknown = await work().catch((failure: unknown) => failure)
    expect(isDatabaseUnavailable(error)).toBe(true)
    expect(await database.execute(one, [])).toEqual([{ one: 1 }])
  }
  await database.close()
  await cloned.drop()
})

test('a leader whose statement has no result leads again on another connection', async () => {
  await using service = await startTestService(ledger())
  const session = createLeaderSession(service.databaseUrl ?? '', 'test')
  const results: unknown[] = []
  const election = runAsLeader({
    session,
    name: 'test',
    log: createLogger('test', 'silent'),
    async work({ execute, executeLong, ended }, stopped) {
      if (results.length > 0) {
        results.push(await execute(one, []))
        await eventually(() => expect(stopped()).toBe(true))
        return
      }
      const { client } = await session.connect()
      results.push(giveUpSoon(client as never), await executeLong({ ...one, text: 'select 2 as two from pg_sleep(0.5)' }, []))
      await execute(sleep, []).catch(() => results.push(ended.aborted))
      await eventually(() => expect(ended.aborted).toBe(true))
    },
  })
  await eventually(() => expect(results).toEqual([60_000, [{ two: 2 }], expect.any(Boolean), [{ one: 1 }]]))
  await election.close()
  await session.close()
})

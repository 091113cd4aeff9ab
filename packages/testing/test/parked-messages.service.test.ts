import { randomUUID } from 'node:crypto'
import { ParkedMessages } from '@quittance/runtime/internal/messaging/parked-messages'
import type { Transaction } from '@quittance/runtime/handler'
import { createLogger } from '@quittance/runtime/logger'
import { expect, test } from 'vitest'
import { cloneDatabase, connectTo } from '../src/database.ts'
import { eventually } from '../src/eventually.ts'
import { startTestService, type TestService } from '../src/harness.ts'
import { anyScope, entryNoted, ledger, noteEntries } from './ledger.ts'

const anonymous = { kind: 'anonymous' } as const
const readEntries = (service: TestService, account: string) =>
  service.rows('select position from handled_entries where account = $1 order by number', [account])
const readDeadLetters = (service: TestService) => service.rows<{ reason: string }>('select reason from dead_letters')

test('a message that is parked while its key is read is handled', async () => {
  const { name, database: definition } = ledger()
  await using closers = new AsyncDisposableStack()
  const clone = await cloneDatabase(name, definition as NonNullable<typeof definition>)
  closers.defer(() => clone.drop())
  const [reader, writer] = [await connectTo(clone.url), await connectTo(clone.url)]
  closers.defer(() => reader.end())
  closers.defer(() => writer.end())
  const read = Promise.withResolvers<void>()
  const isParked = Promise.withResolvers<void>()
  /** Writes the message after the key was read, and before the reader learns the result. */
  const execute = async (statement: { name: string; text: string }, values: readonly unknown[]) => {
    const isInsert = statement.name === 'parked-messages.insert'
    if (isInsert) await read.promise
    const { rows } = await (isInsert ? writer : reader).query({ ...statement, values: [...values] })
    if (statement.name === 'parked-messages.first') {
      read.resolve()
      await isParked.promise
    }
    return rows
  }
  const handled: string[] = []
  const leadership = { isLeader: () => true, ended: new AbortController().signal, execute, executeLong: execute }
  const options = {
    durable: 'orders-entries',
    maxBatchSize: 10,
    database: { execute },
    log: createLogger('test', 'silent'),
    handle: async (messages: readonly { data: Uint8Array }[]) =>
      void handled.push(...messages.map((message) => Buffer.from(message.data).toString())),
  }
  const parked = await ParkedMessages.open(options, leadership)
  const key = randomUUID()
  const parking = parked.park({ subject: entryNoted.subject, headers: {}, payload: Buffer.from('first') }, { id: randomUUID(), key })
  const retrying = parked.retryWhileLeader(leadership)
  closers.defer(async () => {
    parked.stop()
    await retrying
  })
  await parking
  isParked.resolve()
  await eventually(() => expect(handled).toEqual(['first']))
  await eventually(() => expect(parked.has(key)).toBe(false))
})

test('a message that waits for a lock uses up no attempts and delays only its organization', async () => {
  const attempts: number[] = []
  const onEntry = async (position: number, { sql }: Transaction) => {
    attempts.push(position)
    await sql('set-limit', `select set_config('lock_timeout', '20ms', true) where ${anyScope}`)
    await sql('lock', `select pg_advisory_xact_lock(:position::int) where ${anyScope}`, { position })
  }
  await using service = await startTestService(ledger({ onEntry }))
  const [locked, other] = [randomUUID(), randomUUID()]
  const unlock = await service.holdTransaction('select pg_advisory_xact_lock(1)')
  await service.call(noteEntries, { account: locked, first: 1, count: 2 }, anonymous)
  await service.call(noteEntries, { account: other, first: 7, count: 1 }, anonymous)
  await eventually(() => expect(attempts.filter((position) => position === 1).length).toBeGreaterThan(8))
  expect(await readEntries(service, other)).toEqual([{ position: 7 }])
  expect(await readEntries(service, locked)).toEqual([])
  await unlock()
  await eventually(async () => expect(await readEntries(service, locked)).toEqual([{ position: 1 }, { position: 2 }]))
  expect(await readDeadLetters(service)).toEqual([])
})

test('a message that always exceeds the statement timeout is retried for longer, then dead-lettered', async () => {
  const onEntry = async (position: number, { sql }: Transaction) => {
    if (position !== 1) return
    await sql('set-limit', `select set_config('statement_timeout', '20ms', true) where ${anyScope}`)
    await sql('sleep', `select pg_sleep(60) where ${anyScope}`)
  }
  await using service = await startTestService(ledger({ onEntry }))
  const account = randomUUID()
  await service.call(noteEntries, { account, first: 1, count: 2 }, anonymous)
  const readParked = () =>
    service.rows('select attempts, extract(epoch from next_attempt_at - parked_at)::int as delay from parked_messages order by position')
  await eventually(async () => expect((await readParked())[0]).toEqual({ attempts: 1, delay: 5 }))
  await service.rows('update parked_messages set attempts = 5, next_attempt_at = now() where attempts = 1')
  await service.restart()
  await eventually(async () => expect(await readEntries(service, account)).toEqual([{ position: 2 }]))
  expect(await readDeadLetters(service)).toEqual([{ reason: expect.stringContaining('statement timeout') }])
})

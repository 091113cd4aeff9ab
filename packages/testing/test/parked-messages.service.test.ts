import { randomUUID } from 'node:crypto'
import { ParkedMessages } from '@quittance/runtime/internal/messaging/parked-messages'
import { createLogger } from '@quittance/runtime/logger'
import { expect, test } from 'vitest'
import { cloneDatabase, connectTo } from '../src/database.ts'
import { eventually } from '../src/eventually.ts'
import { entryNoted, ledger } from './ledger.ts'

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

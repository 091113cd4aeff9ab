import { randomUUID } from 'node:crypto'
import { Conflict } from '@quittance/contracts/errors'
import { eventStream } from '@quittance/contracts/streams'
import type { Transaction } from '@quittance/runtime/handler'
import { expect, test } from 'vitest'
import { eventually } from '../src/eventually.ts'
import { startTestService, type TestService } from '../src/harness.ts'
import { entryNoted, ledger, noteEntries } from './ledger.ts'

const nobody = { kind: 'anonymous' } as const
/** As it is where nothing else is configured. */
const poolMax = 10

test('what a transaction told is heard once, in order per aggregate', async () => {
  await using service = await startTestService(ledger())
  const accounts = [randomUUID(), randomUUID(), randomUUID()]
  for (const first of [0, 50, 100]) {
    await Promise.all(accounts.map((account) => service.call(noteEntries, { account, first, count: 50 }, nobody)))
  }
  await eventually(async () => expect(await heard(service)).toHaveLength(450))
  for (const account of accounts) {
    const positions = (await heard(service)).filter((row) => row.account === account).map(({ position }) => position)
    expect(positions).toEqual(Array.from({ length: 150 }, (_, position) => position))
  }
})

test('a transaction that rolls back tells nothing', async () => {
  await using service = await startTestService(ledger())
  const account = randomUUID()
  await expect(service.call(noteEntries, { account, first: 0, count: 3, fails: true }, nobody)).rejects.toThrow(Conflict)
  await service.call(noteEntries, { account, first: 7, count: 1 }, nobody)
  await eventually(async () => expect(await heard(service)).toEqual([{ account, position: 7 }]))
  await service.nextEvent(entryNoted)
  expect(service.said).toHaveLength(1)
})

test('an event that comes twice is handled once', async () => {
  await using service = await startTestService(ledger())
  const payload = { account: randomUUID(), position: 1 }
  const id = await service.emit(entryNoted, payload)
  await eventually(async () => expect(await heard(service)).toHaveLength(1))
  // Outside the stream's duplicate window the same id is a second message.
  const manager = await service.connection.jetstreamManager()
  await manager.streams.purge(eventStream.name)
  await manager.streams.update(eventStream.name, { duplicate_window: 100_000_000 })
  await eventually(async () => {
    await service.emit(entryNoted, payload, { id })
    expect((await manager.streams.info(eventStream.name)).state.messages).toBeGreaterThan(0)
  })
  await service.emit(entryNoted, { ...payload, position: 2 })
  await eventually(async () => expect((await heard(service)).map(({ position }) => position)).toEqual([1, 2]))
})

test('a message that fails is tried again before the next is touched', async () => {
  let failures = 2
  const onHear = (position: number) => {
    if (position === 1 && failures-- > 0) throw new Error('not yet')
  }
  await using service = await startTestService(ledger({ onHear }))
  await service.call(noteEntries, { account: randomUUID(), first: 0, count: 4 }, nobody)
  await eventually(async () => expect((await heard(service)).map(({ position }) => position)).toEqual([0, 1, 2, 3]))
})

test('a message that never works becomes a dead letter, whole, and the ones behind it go on', async () => {
  const onHear = (position: number) => {
    if (position === 1) throw new Error('never')
  }
  await using service = await startTestService(ledger({ onHear }))
  await service.call(noteEntries, { account: randomUUID(), first: 0, count: 3 }, nobody)
  await eventually(async () => expect((await heard(service)).map(({ position }) => position)).toEqual([0, 2]))
  const [letter] = await service.rows<{ reason: string; payload: Buffer }>('select reason, payload from dead_letters')
  expect(letter?.reason).toContain('never')
  expect(JSON.parse(letter?.payload.toString() ?? '')).toMatchObject({ position: 1 })
})

test('an event that is larger than a message may be becomes a dead letter, and the ones behind it go on', async () => {
  await using service = await startTestService(ledger())
  const account = randomUUID()
  await service.rows(
    `insert into outbox_messages (id, subject, aggregate_id, payload, occurred_at) values ($1, $2, $3, repeat('x', 9000000), now())`,
    [randomUUID(), entryNoted.subject, account],
  )
  await service.call(noteEntries, { account, first: 1, count: 2 }, nobody)
  await eventually(async () => expect((await heard(service)).map(({ position }) => position)).toEqual([1, 2]))
  const letters = await service.rows('select consumer, reason, length(payload) as bytes from dead_letters')
  expect(letters).toEqual([{ consumer: 'outbox-relay', reason: 'The event is too large to tell: 9000000 bytes.', bytes: 9_000_000 }])
})

test('a message that is lost on its way is heard before what came later', async () => {
  const released = Promise.withResolvers<void>()
  await using service = await startTestService(ledger({ onHear: (position) => (position === 0 ? released.promise : undefined) }))
  const account = randomUUID()
  await service.call(noteEntries, { account, first: 0, count: 100 }, nobody)
  const manager = await service.connection.jetstreamManager()
  const inHand = async () => (await manager.consumers.info(eventStream.name, 'orders-entries')).num_ack_pending
  await eventually(async () => expect(await inHand()).toBe(100))
  await service.call(noteEntries, { account, first: 100, count: 50 }, nobody)
  // Somebody takes the next message and does nothing with it.
  service.connection.subscribe('nobody')
  service.connection.publish(`$JS.API.CONSUMER.MSG.NEXT.${eventStream.name}.orders-entries`, '{"batch": 1}', { reply: 'nobody' })
  await eventually(async () => expect(await inHand()).toBe(101))
  released.resolve()
  await eventually(async () => expect(await heard(service)).toHaveLength(150))
  expect((await heard(service)).map(({ position }) => position)).toEqual(Array.from({ length: 150 }, (_, position) => position))
})

test('events that were committed while nothing ran are told after the start, and only then marked', async () => {
  await using service = await startTestService(ledger())
  const account = randomUUID()
  await service.call(noteEntries, { account, first: 0, count: 1 }, nobody)
  await eventually(async () => expect(await heard(service)).toHaveLength(1))
  await service.rows(
    `insert into outbox_messages (id, subject, aggregate_id, payload, occurred_at) values ($1, 'event.entry.noted', $2, $3, now())`,
    [randomUUID(), account, JSON.stringify({ account, position: 1 })],
  )
  await service.restart()
  await eventually(async () => expect((await heard(service)).map(({ position }) => position)).toEqual([0, 1]))
  // Marked when the stream has acknowledged it, which may be after it was heard.
  await eventually(async () => expect(await service.rows('select from outbox_messages where published_at is null')).toHaveLength(0))
})

test('what was committed is told while requests hold every connection there is', async () => {
  const beforeNote = ({ rows }: Transaction) => rows('ledger.wait', 'select pg_advisory_xact_lock(7)::text as waited', {})
  await using service = await startTestService(ledger({ beforeNote }))
  const account = randomUUID()
  const release = await service.hold('select pg_advisory_xact_lock(7)')
  const noting = Array.from({ length: poolMax }, (_, first) => service.call(noteEntries, { account, first, count: 1 }, nobody))
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`
  await eventually(async () => expect(await service.rows(waiting)).toHaveLength(poolMax))
  await service.rows(
    `insert into outbox_messages (id, subject, aggregate_id, payload, occurred_at) values ($1, 'event.entry.noted', $2, $3, now())`,
    [randomUUID(), account, JSON.stringify({ account, position: poolMax })],
  )
  await eventually(async () => expect(await service.rows('select from outbox_messages where published_at is not null')).toHaveLength(1))
  expect(await service.rows(waiting)).toHaveLength(poolMax)
  await release()
  await Promise.all(noting)
  await eventually(async () => expect(await heard(service)).toHaveLength(poolMax + 1))
})

test('a stream that lost its tail is told again, and nothing is handled twice', async () => {
  await using service = await startTestService(ledger())
  const account = randomUUID()
  await service.call(noteEntries, { account, first: 0, count: 5 }, nobody)
  await eventually(async () => expect(await heard(service)).toHaveLength(5))
  const manager = await service.connection.jetstreamManager()
  await manager.streams.delete(eventStream.name)
  await service.restart()
  await eventually(async () => expect((await manager.streams.info(eventStream.name)).state.messages).toBe(5))
  await service.call(noteEntries, { account, first: 5, count: 1 }, nobody)
  await eventually(async () => expect((await heard(service)).map(({ position }) => position)).toEqual([0, 1, 2, 3, 4, 5]))
})

test('what is long told and long heard is swept, and nothing younger', async () => {
  await using service = await startTestService(ledger())
  await service.call(noteEntries, { account: randomUUID(), first: 0, count: 2 }, nobody)
  await eventually(async () => expect(await heard(service)).toHaveLength(2))
  await eventually(async () => expect(await service.rows('select from outbox_messages where published_at is null')).toHaveLength(0))
  await service.rows(`update outbox_messages set published_at = now() - interval '8 days' where position = 1`)
  await service.rows(
    `update inbox_messages set received_at = now() - interval '31 days' where message_id = (select id from outbox_messages where position = 1)`,
  )
  await service.restart()
  await eventually(async () => expect(await service.rows('select from outbox_messages')).toHaveLength(1))
  await eventually(async () => expect(await service.rows('select from inbox_messages')).toHaveLength(1))
  expect(await heard(service)).toHaveLength(2)
})

test('what a lost holder had in its hands is heard before what came later', async () => {
  let release = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  await using service = await startTestService(ledger({ onHear: (position) => (position === 0 ? released : undefined) }))
  const account = randomUUID()
  await service.call(noteEntries, { account, first: 0, count: 100 }, nobody)
  const manager = await service.connection.jetstreamManager()
  const inHand = async () => (await manager.consumers.info(eventStream.name, 'orders-entries')).num_ack_pending
  await eventually(async () => expect(await inHand()).toBe(100))
  const ended = await service.rows(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'quittance consumer orders-entries' and datname = current_database()`,
  )
  expect(ended).toHaveLength(1)
  await service.call(noteEntries, { account, first: 100, count: 100 }, nobody)
  release()
  await eventually(async () => expect(await heard(service)).toHaveLength(200))
  expect((await heard(service)).map(({ position }) => position)).toEqual(Array.from({ length: 200 }, (_, position) => position))
})

test('two replicas keep the order too: one at a time tells and hears', async () => {
  await using service = await startTestService(ledger())
  const { startService } = await import('@quittance/runtime/service')
  const second = await startService(ledger(), { config: service.config })
  const account = randomUUID()
  for (let first = 0; first < 200; first += 20) await service.call(noteEntries, { account, first, count: 20 }, nobody)
  await eventually(async () => expect(await heard(service)).toHaveLength(200))
  expect((await heard(service)).map(({ position }) => position)).toEqual(Array.from({ length: 200 }, (_, position) => position))
  await second.stop()
})

async function heard(service: TestService): Promise<{ account: string; position: number }[]> {
  return service.rows('select account, position from heard order by number')
}

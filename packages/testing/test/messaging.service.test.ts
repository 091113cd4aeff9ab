import { randomUUID } from 'node:crypto'
import { deadLetterOperations } from '@quittance/contracts/dead-letters'
import { Conflict } from '@quittance/contracts/errors'
import { headers } from '@quittance/contracts/headers'
import { eventStream } from '@quittance/contracts/streams'
import type { Transaction } from '@quittance/runtime/handler'
import { systemCaller } from '@quittance/runtime/transaction'
import { expect, test } from 'vitest'
import { signedEventHeaders } from '../src/bus.ts'
import { eventually } from '../src/eventually.ts'
import { startTestService, type TestService } from '../src/harness.ts'
import { anyScope, entryNoted, ledger, noteEntries } from './ledger.ts'

const anonymous = { kind: 'anonymous' } as const
/** Requests that a service handles at once: the default of `DATABASE_POOL_MAX` without the two connections for the relay, consumers and jobs. */
const maxRequests = 8

test('events of a transaction are handled once, in order per aggregate', async () => {
  await using service = await startTestService(ledger())
  const accounts = [randomUUID(), randomUUID(), randomUUID()]
  for (const first of [0, 50, 100]) {
    await Promise.all(accounts.map((account) => service.call(noteEntries, { account, first, count: 50 }, anonymous)))
  }
  await eventually(async () => expect(await readHandled(service)).toHaveLength(450))
  for (const account of accounts) {
    const positions = (await readHandled(service)).filter((row) => row.account === account).map(({ position }) => position)
    expect(positions).toEqual(Array.from({ length: 150 }, (_, position) => position))
  }
})

test('a transaction that rolls back publishes nothing', async () => {
  await using service = await startTestService(ledger())
  const account = randomUUID()
  await expect(service.call(noteEntries, { account, first: 0, count: 3, fails: true }, anonymous)).rejects.toThrow(Conflict)
  await service.call(noteEntries, { account, first: 7, count: 1 }, anonymous)
  await eventually(async () => expect(await readHandled(service)).toEqual([{ account, position: 7 }]))
  await service.nextEvent(entryNoted)
  expect(service.publishedEvents).toHaveLength(1)
})

test('an event delivered twice is handled once', async () => {
  await using service = await startTestService(ledger())
  const payload = { account: randomUUID(), position: 1 }
  const id = await service.emit(entryNoted, payload)
  await eventually(async () => expect(await readHandled(service)).toHaveLength(1))
  // Outside the stream's duplicate window the same id is stored as a second message.
  const manager = await service.connection.jetstreamManager()
  await manager.streams.purge(eventStream.name)
  await manager.streams.update(eventStream.name, { duplicate_window: 100_000_000 })
  await eventually(async () => {
    await service.emit(entryNoted, payload, { id })
    expect((await manager.streams.info(eventStream.name)).state.messages).toBeGreaterThan(0)
  })
  await service.emit(entryNoted, { ...payload, position: 2 })
  await eventually(async () => expect((await readHandled(service)).map(({ position }) => position)).toEqual([1, 2]))
})

test('a failed message is retried before the next one is handled', async () => {
  let failures = 2
  const onEntry = (position: number) => {
    if (position === 1 && failures-- > 0) throw new Error('not yet')
  }
  await using service = await startTestService(ledger({ onEntry }))
  await service.call(noteEntries, { account: randomUUID(), first: 0, count: 4 }, anonymous)
  await eventually(async () => expect((await readHandled(service)).map(({ position }) => position)).toEqual([0, 1, 2, 3]))
})

test('a message that fails delays only its organization, whose later messages keep their order', async () => {
  let isFailing = true
  const onEntry = (position: number) => {
    if (position === 0 && isFailing) throw new Error('not yet')
  }
  await using service = await startTestService(ledger({ onEntry }))
  const [failing, other] = [randomUUID(), randomUUID()]
  const emit = (organizationId: string, position: number) =>
    service.emit(entryNoted, { account: organizationId, position }, { organizationId, aggregateId: randomUUID() })
  for (const position of [0, 1, 2]) await emit(failing, position)
  for (const position of [10, 11, 12]) await emit(other, position)
  await eventually(async () => expect((await readHandled(service)).map(({ position }) => position)).toEqual([10, 11, 12]))
  isFailing = false
  await emit(failing, 3)
  await eventually(async () => expect(await readHandled(service)).toHaveLength(7))
  expect((await readHandled(service)).slice(3)).toEqual([0, 1, 2, 3].map((position) => ({ account: failing, position })))
  expect(await service.rows('select 1 from parked_messages')).toEqual([])
})

test('parked messages survive a restart and are handled in order', async () => {
  let isFailing = true
  const onEntry = (position: number) => {
    if (position === 0 && isFailing) throw new Error('not yet')
  }
  await using service = await startTestService(ledger({ onEntry }))
  const organizationId = randomUUID()
  for (const position of [0, 1, 2]) await service.emit(entryNoted, { account: organizationId, position }, { organizationId })
  await eventually(async () => expect(await service.rows('select 1 from parked_messages')).toHaveLength(3))
  await service.restart()
  isFailing = false
  await eventually(async () => expect((await readHandled(service)).map(({ position }) => position)).toEqual([0, 1, 2]))
})

test('messages that can neither be handled nor parked are handled later, in order', async () => {
  let attempts = 0
  let isFailing = false
  const onEntry = () => {
    attempts += 1
    if (isFailing) throw new Error('not yet')
  }
  await using service = await startTestService(ledger({ onEntry }))
  const organizationId = randomUUID()
  const emit = (position: number) => service.emit(entryNoted, { account: organizationId, position }, { organizationId })
  await emit(0)
  await eventually(async () => expect(await readHandled(service)).toHaveLength(1))
  await service.rows('alter table parked_messages rename to missing_messages')
  isFailing = true
  for (const position of [1, 2, 3]) await emit(position)
  await eventually(() => expect(attempts).toBe(2))
  isFailing = false
  await service.rows('alter table missing_messages rename to parked_messages')
  await eventually(async () => expect((await readHandled(service)).map(({ position }) => position)).toEqual([0, 1, 2, 3]))
})

test('a redelivered message that is parked already is parked once', async () => {
  let isFailing = true
  const onEntry = () => {
    if (isFailing) throw new Error('not yet')
  }
  await using service = await startTestService(ledger({ onEntry }))
  const about = { id: randomUUID(), organizationId: randomUUID() }
  const manager = await service.connection.jetstreamManager()
  await manager.streams.update(eventStream.name, { duplicate_window: 100_000_000 })
  const payload = { account: randomUUID(), position: 0 }
  await service.emit(entryNoted, payload, about)
  await eventually(async () => expect(await service.rows('select 1 from parked_messages')).toHaveLength(1))
  await eventually(async () => {
    await service.emit(entryNoted, payload, about)
    expect((await manager.streams.info(eventStream.name)).state.messages).toBeGreaterThan(1)
  })
  isFailing = false
  await service.emit(entryNoted, { ...payload, position: 1 }, { organizationId: about.organizationId })
  await eventually(async () => expect((await readHandled(service)).map(({ position }) => position)).toEqual([0, 1]))
})

test('a message that always fails becomes a complete dead letter, and later ones continue', async () => {
  const onEntry = (position: number) => {
    if (position === 1) throw new Error('never')
  }
  await using service = await startTestService(ledger({ onEntry }))
  await service.call(noteEntries, { account: randomUUID(), first: 0, count: 3 }, anonymous)
  await eventually(async () => expect((await readHandled(service)).map(({ position }) => position)).toEqual([0, 2]))
  const [deadLetter] = await service.rows<{ reason: string; payload: Buffer }>('select reason, payload from dead_letters')
  expect(deadLetter?.reason).toContain('never')
  expect(JSON.parse(deadLetter?.payload.toString() ?? '')).toMatchObject({ position: 1 })
})

test('a message with NUL in a header is stored without it, and later ones continue', async () => {
  await using service = await startTestService(ledger())
  const about = { subject: entryNoted.subject, occurredAt: new Date().toISOString(), body: Buffer.from('{}') }
  const publish = (changes: Record<string, string>) => {
    const sent = signedEventHeaders('orders', { ...about, id: randomUUID(), aggregateId: randomUUID() })
    for (const [name, value] of Object.entries(changes)) sent.set(name, value)
    service.connection.publish(about.subject, about.body, { headers: sent })
  }
  publish({ reason: '\0' })
  publish({ [headers.signature]: '', [headers.traceparent]: '\0' })
  publish({ [headers.organization]: '\0' })
  publish({ 'Nats-Msg-Id': '\0' })
  await service.emit(entryNoted, { account: randomUUID(), position: 1 })
  await eventually(async () => expect((await readHandled(service)).map(({ position }) => position)).toEqual([1]))
  await eventually(async () => expect(await service.rows('select 1 from dead_letters')).toHaveLength(3))
  // The first one can be read: it is retried.
  expect(await service.rows(`select headers ->> 'reason' as reason from parked_messages`)).toEqual([{ reason: '\ufffd' }])
})

test('a replay reaches a dead letter behind many that are not authentic', async () => {
  await using service = await startTestService(ledger())
  const insert = `insert into dead_letters (consumer, message_id, subject, headers, payload, reason, created_at)
    select 'orders-entries', $1, $2, $3, $4, 'failed', now() - $5 * interval '1 second' from generate_series(1, $6)`
  const body = Buffer.from(JSON.stringify({ account: randomUUID(), position: 1 }))
  const about = { subject: entryNoted.subject, id: randomUUID(), aggregateId: randomUUID(), occurredAt: new Date().toISOString(), body }
  const signed = signedEventHeaders('orders', about)
  const genuine = Object.fromEntries(signed.keys().map((name) => [name, signed.get(name)]))
  await service.rows(insert, [about.id, about.subject, { ...genuine, [headers.signature]: '' }, body, 60, 600])
  await service.rows(insert, [about.id, about.subject, genuine, body, 0, 1])
  const { handled, failed } = await service.call(deadLetterOperations.orders.replay, { ids: null }, { kind: 'operator' })
  expect([handled.length, failed.length]).toEqual([1, 600])
  expect((await readHandled(service)).map(({ position }) => position)).toEqual([1])
})

test('an event above the message size limit becomes a dead letter, and later ones continue', async () => {
  await using service = await startTestService(ledger())
  const account = randomUUID()
  await service.rows(
    `insert into outbox_messages (id, subject, aggregate_id, payload, occurred_at) values ($1, $2, $3, repeat('x', 9000000), now())`,
    [randomUUID(), entryNoted.subject, account],
  )
  await service.call(noteEntries, { account, first: 1, count: 2 }, anonymous)
  await eventually(async () => expect((await readHandled(service)).map(({ position }) => position)).toEqual([1, 2]))
  const deadLetters = await service.rows('select consumer, reason, length(payload) as bytes from dead_letters')
  expect(deadLetters).toEqual([{ consumer: 'outbox-relay', reason: 'The event is too large to publish: 9000000 bytes.', bytes: 9_000_000 }])
})

test('a message lost in transit is handled before later ones', async () => {
  const released = Promise.withResolvers<void>()
  await using service = await startTestService(ledger({ onEntry: (position) => (position === 0 ? released.promise : undefined) }))
  const account = randomUUID()
  await service.call(noteEntries, { account, first: 0, count: 100 }, anonymous)
  const manager = await service.connection.jetstreamManager()
  const countUnacknowledged = async () => (await manager.consumers.info(eventStream.name, 'orders-entries')).num_ack_pending
  await eventually(async () => expect(await countUnacknowledged()).toBe(100))
  await service.call(noteEntries, { account, first: 100, count: 50 }, anonymous)
  // Another client pulls the next message and does not acknowledge it.
  service.connection.subscribe('nobody')
  service.connection.publish(`$JS.API.CONSUMER.MSG.NEXT.${eventStream.name}.orders-entries`, '{"batch": 1}', { reply: 'nobody' })
  await eventually(async () => expect(await countUnacknowledged()).toBe(101))
  released.resolve()
  await eventually(async () => expect(await readHandled(service)).toHaveLength(150))
  expect((await readHandled(service)).map(({ position }) => position)).toEqual(Array.from({ length: 150 }, (_, position) => position))
})

test('events committed while no relay ran are published after the start, then marked', async () => {
  await using service = await startTestService(ledger())
  const account = randomUUID()
  await service.call(noteEntries, { account, first: 0, count: 1 }, anonymous)
  await eventually(async () => expect(await readHandled(service)).toHaveLength(1))
  await service.rows(
    `insert into outbox_messages (id, subject, aggregate_id, payload, occurred_at) values ($1, 'event.entry.noted', $2, $3, now())`,
    [randomUUID(), account, JSON.stringify({ account, position: 1 })],
  )
  await service.restart()
  await eventually(async () => expect((await readHandled(service)).map(({ position }) => position)).toEqual([0, 1]))
  // Marked when the stream has acknowledged it, which may be after it was handled.
  await eventually(async () => expect(await service.rows('select from outbox_messages where published_at is null')).toHaveLength(0))
})

test('publishing a batch reads none of the events that were published before', async () => {
  await using service = await startTestService(ledger())
  const commit = async (count: number) => {
    await service.rows(
      `insert into outbox_messages (id, subject, aggregate_id, payload, occurred_at)
      select gen_random_uuid(), 'event.entry.unread', gen_random_uuid(), to_json(repeat('x', 2000)), now() from generate_series(1, $1)`,
      [count],
    )
    await service.rows(`notify wake, 'outbox'`)
  }
  // Waits by the statistics, because each look at the table itself would count as a read. A busy machine takes more than a minute.
  const countRead = (published: number) =>
    eventually(
      async () => {
        const [table] = await service.rows<{ read: number; updated: number }>(
          `select seq_tup_read::int as read, n_tup_upd::int as updated from pg_stat_user_tables where relname = 'outbox_messages'`,
        )
        expect(table?.updated).toBe(published)
        return table?.read ?? 0
      },
      { withinMs: 150_000 },
    )
  // The statements are prepared while the table is empty.
  for (let event = 0; event < 10; event += 1) {
    await commit(1)
    await eventually(async () => expect(await service.rows('select from outbox_messages where published_at is null')).toEqual([]))
  }
  await commit(10_000)
  const before = await countRead(10_010)
  await commit(10_000)
  // Jobs read the whole table a few times; the 50 batches do not.
  expect((await countRead(20_010)) - before).toBeLessThan(10 * 20_010)
}, 330_000)

test('publishes committed events while requests use every connection that they may', async () => {
  const beforeNote = ({ sql }: Transaction) => sql('ledger.wait', `select pg_advisory_xact_lock(7)::text as waited where ${anyScope}`, {})
  await using service = await startTestService(ledger({ beforeNote }))
  const account = randomUUID()
  const release = await service.holdTransaction('select pg_advisory_xact_lock(7)')
  const noting = Array.from({ length: maxRequests }, (_, first) =>
    service.call(noteEntries, { account, first, count: 1 }, systemCaller(randomUUID())),
  )
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`
  await eventually(async () => expect(await service.rows(waiting)).toHaveLength(maxRequests))
  await service.rows(
    `insert into outbox_messages (id, subject, aggregate_id, payload, occurred_at) values ($1, 'event.entry.noted', $2, $3, now())`,
    [randomUUID(), account, JSON.stringify({ account, position: maxRequests })],
  )
  await eventually(async () => expect(await service.rows('select from outbox_messages where published_at is not null')).toHaveLength(1))
  expect(await service.rows(waiting)).toHaveLength(maxRequests)
  await release()
  await Promise.all(noting)
  await eventually(async () => expect(await readHandled(service)).toHaveLength(maxRequests + 1))
})

test('republishes the tail a stream lost, and handles nothing twice', async () => {
  await using service = await startTestService(ledger())
  const account = randomUUID()
  await service.call(noteEntries, { account, first: 0, count: 5 }, anonymous)
  await eventually(async () => expect(await readHandled(service)).toHaveLength(5))
  const manager = await service.connection.jetstreamManager()
  await manager.streams.delete(eventStream.name)
  await service.restart()
  await eventually(async () => expect((await manager.streams.info(eventStream.name)).state.messages).toBe(5))
  await service.call(noteEntries, { account, first: 5, count: 1 }, anonymous)
  await eventually(async () => expect((await readHandled(service)).map(({ position }) => position)).toEqual([0, 1, 2, 3, 4, 5]))
})

test('deletes expired outbox and inbox rows, and no younger ones', async () => {
  await using service = await startTestService(ledger())
  await service.call(noteEntries, { account: randomUUID(), first: 0, count: 2 }, anonymous)
  await eventually(async () => expect(await readHandled(service)).toHaveLength(2))
  await eventually(async () => expect(await service.rows('select from outbox_messages where published_at is null')).toHaveLength(0))
  // What is not acknowledged is delivered again after the start, and handled again without its row.
  const manager = await service.connection.jetstreamManager()
  await eventually(async () => expect((await manager.consumers.info(eventStream.name, 'orders-entries')).num_ack_pending).toBe(0))
  await service.rows(`update outbox_messages set published_at = now() - interval '8 days' where position = 1`)
  await service.rows(
    `update inbox_messages set received_at = now() - interval '31 days' where message_id = (select id from outbox_messages where position = 1)`,
  )
  await service.restart()
  await eventually(async () => expect(await service.rows('select from outbox_messages')).toHaveLength(1))
  await eventually(async () => expect(await service.rows('select from inbox_messages')).toHaveLength(1))
  expect(await readHandled(service)).toHaveLength(2)
})

test('messages pulled by a lost leader are handled before later ones', async () => {
  let release = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  await using service = await startTestService(ledger({ onEntry: (position) => (position === 0 ? released : undefined) }))
  const account = randomUUID()
  await service.call(noteEntries, { account, first: 0, count: 100 }, anonymous)
  const manager = await service.connection.jetstreamManager()
  const countUnacknowledged = async () => (await manager.consumers.info(eventStream.name, 'orders-entries')).num_ack_pending
  await eventually(async () => expect(await countUnacknowledged()).toBe(100))
  const ended = await service.rows(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'quittance consumers' and datname = current_database()`,
  )
  expect(ended).toHaveLength(1)
  await service.call(noteEntries, { account, first: 100, count: 100 }, anonymous)
  release()
  await eventually(async () => expect(await readHandled(service)).toHaveLength(200))
  expect((await readHandled(service)).map(({ position }) => position)).toEqual(Array.from({ length: 200 }, (_, position) => position))
})

test('two replicas keep the order: only one publishes and consumes at a time', async () => {
  await using service = await startTestService(ledger())
  const { startService } = await import('@quittance/runtime/service')
  const second = await startService(ledger(), { config: service.config })
  const account = randomUUID()
  for (let first = 0; first < 200; first += 20) await service.call(noteEntries, { account, first, count: 20 }, anonymous)
  await eventually(async () => expect(await readHandled(service)).toHaveLength(200))
  expect((await readHandled(service)).map(({ position }) => position)).toEqual(Array.from({ length: 200 }, (_, position) => position))
  await second.stop()
})

async function readHandled(service: TestService): Promise<{ account: string; position: number }[]> {
  return service.rows('select account, position from handled_entries order by number')
}

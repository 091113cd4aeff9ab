import { randomUUID } from 'node:crypto'
import { findMissingEvents, type PublishedEvent } from '@quittance/runtime/internal/messaging/verify-events'
import { createLogger } from '@quittance/runtime/logger'
import { metrics } from '@quittance/runtime/metrics'
import { countInterruptions, isDisconnected, type NatsConnection } from '@quittance/runtime/nats-connection'
import type { RunningService } from '@quittance/runtime/service'
import type { Client } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { connectTo } from '../src/database.ts'
import { eventually } from '../src/eventually.ts'
import { scale } from '../src/scale.ts'
import { startFaultyStream, type FaultyStream } from './faulty-stream.ts'
import { entryNoted, ledger } from './ledger.ts'
import { natsServersUnderTest } from './nats-servers.ts'
import { createEvents, prepareLedger } from './prepare-ledger.ts'

const servers = await natsServersUnderTest()
const eventsPerSecond = scale(40, 200)
const accounts = Array.from({ length: 8 }, () => randomUUID())
const log = createLogger('test', (process.env['LOG_LEVEL'] ?? 'silent') as 'silent')

describe.each(servers)('on %s', (program) => {
  // Five rounds take minutes: `STREAM_FAULT_ROUNDS=5 TEST_SCALE=full`.
  const rounds = Number(process.env['STREAM_FAULT_ROUNDS'] ?? 1)
  const closers: (() => Promise<unknown>)[] = []
  let stream: FaultyStream
  let start: () => Promise<RunningService>
  let running: RunningService
  let client: NatsConnection
  let database: Client
  let writer: Writer

  beforeAll(async () => {
    stream = await startFaultyStream(program)
    closers.unshift(async () => stream[Symbol.asyncDispose]())
    const served = await prepareLedger(stream, { definition: ledger(), level: log.level as 'silent' })
    closers.unshift(() => served.close())
    ;({ client, database, start } = served)
    running = await start()
    closers.unshift(() => running.stop())
    writer = await startWriter(served.url)
    closers.unshift(() => writer.stop())
  })

  afterAll(async () => {
    for (const close of closers) await close()
  })

  // Less is published again in the next test. An event that waits for its consumer stays, as seven days of retention guarantee in production.
  afterEach(() =>
    database.query('delete from outbox_messages where published_at is not null and id in (select message_id from inbox_messages)'),
  )

  /** Waits until that many more events have been handled. */
  const awaitHandled = async (more: number) => {
    const before = await countHandled(database)
    await eventually(async () => expect(await countHandled(database)).toBeGreaterThanOrEqual(before + more))
  }

  /** Waits until the stream has stored that many more events. */
  const awaitPublished = async (more: number) => {
    const before = await countPublished(database)
    await eventually(async () => expect(await countPublished(database)).toBeGreaterThanOrEqual(before + more))
  }

  /** Everything committed until now is handled once, in order, and in the stream. */
  const expectNothingLost = async () => {
    const committed = [...writer.committed]
    // Thousands of events wait by then, and a busy machine handles them slowly.
    await eventually(async () => expect(await firstUnhandled(database, committed)).toBeNull(), { withinMs: 120_000 })
    const { rows } = await database.query<{ account: string; position: number }>(
      'select account, position from handled_entries order by number',
    )
    for (const account of accounts) {
      const positions = rows.filter((row) => row.account === account).map(({ position }) => position)
      expect(positions).toEqual(positions.map((_, position) => position))
    }
    await eventually(async () => expect(await findMissingEvents(client, await readPublished(database))).toHaveLength(0))
  }

  test('publishes again what an older store has lost, also where other events got its sequence numbers', async () => {
    for (let round = 0; round < rounds; round++) {
      await awaitHandled(eventsPerSecond)
      await stream.copyStore()
      const before = await countRepublished()
      await awaitPublished(2 * eventsPerSecond)
      await stream.rollBack(round % 2 === 0 ? createEvents(5 * eventsPerSecond) : [])
      await expectNothingLost()
      expect(await countRepublished()).toBeGreaterThanOrEqual(before + eventsPerSecond)
    }
  })

  test('a relay that starts finds what was lost before, where other events got its sequence numbers', async () => {
    await awaitHandled(eventsPerSecond)
    await stream.copyStore()
    await awaitPublished(2 * eventsPerSecond)
    await running.stop()
    const before = await countRepublished()
    await stream.rollBack(createEvents(5 * eventsPerSecond))
    running = await start()
    await expectNothingLost()
    expect(await countRepublished()).toBeGreaterThanOrEqual(before + eventsPerSecond)
  })

  /** Rolls back messages but not consumers, while other events get the numbers of lost ones. All events are handled. */
  const expectNothingSkipped = async ({ isStopped }: { isStopped: boolean }) => {
    await awaitHandled(eventsPerSecond)
    await stream.copyStore()
    await awaitHandled(2 * eventsPerSecond)
    const other = randomUUID()
    if (isStopped) await running.stop()
    await stream.rollBack(createEvents(eventsPerSecond, other), { keepsConsumers: true })
    if (isStopped) running = await start()
    await expectNothingLost()
    const isHandled = `select count(*)::int as count from handled_entries where account = $1`
    await eventually(async () => expect((await database.query(isHandled, [other])).rows[0].count).toBe(eventsPerSecond))
  }

  test('a consumer that is ahead of its stream handles the events that it would skip', async () => {
    for (let round = 0; round < rounds; round++) await expectNothingSkipped({ isStopped: false })
  })

  test('a consumer that starts ahead of its stream handles the events that it would skip', async () => {
    for (let round = 0; round < rounds; round++) await expectNothingSkipped({ isStopped: true })
  })

  test('publishes everything again after the store was wiped', async () => {
    for (let round = 0; round < rounds; round++) {
      await awaitHandled(eventsPerSecond)
      await stream.wipe()
      await expectNothingLost()
    }
  })

  test('a frozen server is abandoned, and one connection works once it continues', async () => {
    for (let round = 0; round < rounds; round++) {
      const service = running.connection
      await awaitHandled(eventsPerSecond)
      await stream.freeze(async () => {
        await eventually(() => expect(isDisconnected(service)).toBe(true))
        await awaitReconnects(service, 3)
      })
      await eventually(() => expect(isDisconnected(service)).toBe(false))
      const interruptions = countInterruptions(service)
      // Longer than the server waits for the credentials of an abandoned connection.
      await awaitHandled(3 * eventsPerSecond)
      await expectNothingLost()
      expect(countInterruptions(service)).toBe(interruptions)
      expect(await stream.countConnections('orders')).toBe(1)
    }
  })
})

interface Writer {
  /** Number of committed events per account. */
  committed: number[]
  stop(): Promise<void>
}

/** Commits events at a steady rate, whatever NATS does. */
async function startWriter(url: string): Promise<Writer> {
  const client = await connectTo(url)
  const committed = accounts.map(() => 0)
  const perTurn = accounts.length
  let next: Promise<unknown> = Promise.resolve()
  const commit = () => void (next = next.then(() => commitOne(client, committed)))
  const timer = setInterval(commit, (1_000 * perTurn) / eventsPerSecond)
  return {
    committed,
    async stop() {
      clearInterval(timer)
      await next
      await client.end()
    },
  }
}

/** Commits one event per account. */
async function commitOne(client: Client, committed: number[]): Promise<void> {
  const rows = accounts.map((account, index) => ({ id: randomUUID(), account, position: committed[index] ?? 0 }))
  await client.query(
    `insert into outbox_messages (id, subject, aggregate_id, payload, occurred_at)
     select id, $2, account, json_build_object('account', account, 'position', position), now()
     from json_to_recordset($1) as event (id uuid, account uuid, position integer)`,
    [JSON.stringify(rows), entryNoted.subject],
  )
  for (const index of committed.keys()) committed[index] = (committed[index] ?? 0) + 1
}

async function readPublished(database: Client): Promise<PublishedEvent[]> {
  const { rows } = await database.query<{ id: string; sequence: string }>(
    'select id, stream_sequence as sequence from outbox_messages where published_at is not null',
  )
  return rows.map(({ id, sequence }) => ({ id, sequence: Number(sequence) }))
}

async function countHandled(database: Client): Promise<number> {
  return (await database.query('select count(*)::int as count from handled_entries')).rows[0].count
}

async function countPublished(database: Client): Promise<number> {
  return (await database.query('select count(*)::int as count from outbox_messages where published_at is not null')).rows[0].count
}

async function firstUnhandled(database: Client, committed: readonly number[]): Promise<object | null> {
  const { rows } = await database.query<{ account: string; count: number }>(
    'select account, count(*)::int as count from handled_entries group by account',
  )
  const handled = new Map(rows.map(({ account, count }) => [account, count]))
  const index = accounts.findIndex((account, at) => (handled.get(account) ?? 0) < (committed[at] ?? 0))
  return index < 0 ? null : { account: index, handled: handled.get(accounts[index] as string), committed: committed[index] }
}

async function countRepublished(): Promise<number> {
  const metric = await metrics.getSingleMetric('outbox_republished_events_total')?.get()
  return metric?.values[0]?.value ?? 0
}

/** Waits until a client has tried to connect that many times. */
async function awaitReconnects(connection: NatsConnection, count: number): Promise<void> {
  let attempts = 0
  for await (const { type } of connection.status()) if ((type as string) === 'reconnecting' && ++attempts === count) return
}

import type { JetStreamManager, NatsConnection } from 'nats'
import { setTimeout as delay } from 'node:timers/promises'
import { createWakeSignal, type WakeSignal } from '../jobs/wake-signal.ts'
import type { BusIdentity } from '../bus/identity.ts'
import type { Database } from '../database/database.ts'
import { gauge } from '../process/metrics.ts'
import type { Logger } from '../process/logger.ts'
import { maxPayloadBytes } from '../nats/nats-connection.ts'
import type { Closeable } from '../process/shutdown.ts'
import { runAsLeader, type Leadership } from '../jobs/leader-election.ts'
import { createLeaderSession } from '../jobs/leader-session.ts'
import { statement } from '@quittance/sql/statement'
import { LostEvents } from './lost-events.ts'
import { createSweep } from './sweep-messages.ts'
import { publishMessage, signMessages, type StoredAt, type WaitingRow } from './publish-event.ts'
import type { NotificationListener } from '../jobs/notification-listener.ts'

interface Relay {
  database: Database
  connection: NatsConnection
  identity: BusIdentity
  manager: JetStreamManager
  wakeUps: NotificationListener
  log: Logger
  pollMs: number
}

const batchSize = 200
/**
 * Minimum time between two reads of the outbox. A single event is published immediately; in a burst each read publishes several events, and
 * consumers receive them together: one statement and one acknowledgement for all.
 */
const minIntervalMs = 40
/** Interval of attempts to compare the stream with the outbox, while nothing can be published. */
const retryCheckMs = 250
/** Part of the maximum message size that is reserved for headers. */
const headersBytes = 4_096

const waiting = statement(
  'outbox.waiting',
  `select position, id, subject, aggregate_id, organization_id, payload, traceparent, occurred_at
   from outbox_messages where published_at is null order by position limit :batch`,
)
const markPublished = statement(
  'outbox.mark',
  `update outbox_messages o set published_at = now(), stream_sequence = m.sequence
   from unnest(:positions::bigint[], :sequences::bigint[]) as m (position, sequence) where o.position = m.position`,
)
const oldest = statement(
  'outbox.oldest',
  `select coalesce(extract(epoch from now() - min(occurred_at)), 0)::float as seconds from outbox_messages where published_at is null`,
)
const insertDeadLetter = statement(
  'outbox.dead-letter',
  `with marked as (update outbox_messages set published_at = now() where position = :position returning *)
   insert into dead_letters (consumer, message_id, subject, headers, payload, reason)
   select 'outbox-relay', id, subject, jsonb_build_object('aggregate', aggregate_id, 'organization', organization_id), convert_to(payload, 'UTF8'), :reason
   from marked`,
)

/**
 * Publishes committed events in order per aggregate, at least once, on one replica at a time. After a crash between publishing and marking,
 * events are published twice: the stream drops the duplicate by its id, and later the inbox does. What the stream loses is published again.
 */
export function startRelay(relay: Relay): Closeable {
  const wakeSignal = createWakeSignal()
  relay.wakeUps.on('outbox', () => wakeSignal.wake())
  registerAgeGauge(relay)
  // Not shared: the relay reads and marks rows on the connection that holds its lock.
  const session = createLeaderSession(relay.database.url, 'outbox-relay')
  const election = runAsLeader({
    session,
    name: 'outbox-relay',
    log: relay.log,
    async work(leadership) {
      relay.database.outboxNotifier.setLocalListener(() => wakeSignal.wake())
      try {
        await publishWhileLeader(relay, { leadership, wakeSignal })
      } finally {
        relay.database.outboxNotifier.setLocalListener(null)
      }
    },
  })
  return {
    name: 'outbox-relay',
    async close() {
      const closed = election.close()
      wakeSignal.wake()
      await closed
      await session.close()
    },
  }
}

async function publishWhileLeader(
  relay: Relay,
  { leadership, wakeSignal }: { leadership: Leadership; wakeSignal: WakeSignal },
): Promise<void> {
  const sweepNext = createSweep()
  const lostEvents = new LostEvents({ ...relay, leadership })
  while (leadership.isLeader()) {
    const startedAt = performance.now()
    if (!(await lostEvents.check())) {
      await delay(retryCheckMs)
      continue
    }
    const published = await publishBatch(relay, { leadership, lostEvents })
    const hasExpired = await sweepNext(leadership)
    if (published < batchSize) {
      if (!hasExpired) await wakeSignal.wait(relay.pollMs)
      const remainingMs = startedAt + minIntervalMs - performance.now()
      if (remainingMs > 0) await delay(remainingMs)
    }
  }
}

interface Turn {
  leadership: Leadership
  lostEvents: LostEvents
}

async function publishBatch(relay: Relay, { leadership, lostEvents }: Turn): Promise<number> {
  const { connection, identity, log } = relay
  const rows = (await leadership.execute(waiting, [batchSize])) as unknown as WaitingRow[]
  if (rows.length === 0) return 0
  const stored: (StoredAt & { row: WaitingRow })[] = []
  const byAggregate = Map.groupBy(signMessages(identity, rows), ({ row }) => row.aggregate_id)
  // Within an aggregate each event waits for the acknowledgement of the previous one; a failure stops only its own aggregate.
  const chains = await Promise.allSettled(
    [...byAggregate.values()].map(async (chain) => {
      for (const message of chain) {
        const { row } = message
        if (!leadership.isLeader() || lostEvents.isBlocked()) return
        if (isTooLarge(relay, row)) await deadLetterOversized(relay, { row, leadership })
        else stored.push({ row, ...(await publishMessage(connection, message)) })
      }
    }),
  )
  // What was stored in the place of lost events stays unpublished: it is published again after them.
  const published = stored.filter((each) => !lostEvents.detectReuse(each))
  if (published.length > 0) {
    await leadership.execute(markPublished, [published.map(({ row }) => row.position), published.map(({ sequence }) => sequence)])
    const newest = published.reduce((highest, each) => (each.sequence > highest.sequence ? each : highest))
    lostEvents.remember({ id: newest.row.id, sequence: newest.sequence })
  }
  const failed = chains.find((chain) => chain.status === 'rejected')
  if (failed) {
    log.warn({ err: failed.reason, waiting: rows.length - published.length }, 'outbox.publish-failed')
    return 0
  }
  return rows.length
}

function isTooLarge({ connection }: Relay, { payload }: WaitingRow): boolean {
  return Buffer.byteLength(payload) > maxPayloadBytes(connection) - headersBytes
}

/** Dead-letters an event that is too large to be published; later events continue. */
async function deadLetterOversized({ log }: Relay, { row, leadership }: { row: WaitingRow; leadership: Leadership }): Promise<void> {
  const { position, id, subject, payload } = row
  const bytes = Buffer.byteLength(payload)
  await leadership.execute(insertDeadLetter, [position, `The event is too large to publish: ${bytes} bytes.`])
  log.error({ message_id: id, subject, bytes }, 'outbox.too-large')
}

function registerAgeGauge({ database }: Relay): void {
  gauge('outbox_oldest_unpublished_seconds', 'Age of the oldest committed event that is not published yet, in seconds.', {
    collect: async (gauge) => gauge.set(Number((await database.execute(oldest, []))[0]?.['seconds'])),
  })
}

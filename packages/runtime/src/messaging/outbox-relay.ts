import { eventStream } from '@quittance/contracts/streams'
import { headers } from '@quittance/contracts/headers'
import { headers as natsHeaders, type JetStreamManager, type MsgHdrs, type NatsConnection } from 'nats'
import { setTimeout as delay } from 'node:timers/promises'
import { createWakeSignal, type WakeSignal } from '../jobs/wake-signal.ts'
import { signEvents } from '../bus/event-signature.ts'
import type { BusIdentity } from '../bus/identity.ts'
import type { Database } from '../database/database.ts'
import { sweepIdempotentReplies } from '../handlers/idempotency.ts'
import { gauge } from '../process/metrics.ts'
import type { Logger } from '../process/logger.ts'
import { maxPayloadBytes } from '../nats/nats-connection.ts'
import type { Closeable } from '../process/shutdown.ts'
import { muxRequest } from '../nats/mux-inbox.ts'
import { runAsLeader, type Leadership } from '../jobs/leader-election.ts'
import { statement } from '../sql/statement.ts'
import { startSpan, withSpans } from '../process/tracing.ts'
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

interface WaitingRow {
  position: string
  id: string
  subject: string
  aggregate_id: string
  organization_id: string | null
  payload: string
  traceparent: string | null
  occurred_at: Date | string
}

const batchSize = 200
/**
 * Minimum time between two reads of the outbox. A single event is published immediately; in a burst each read publishes several events, and
 * consumers receive them together: one statement and one acknowledgement for all.
 */
const minIntervalMs = 40
/**
 * A message sent to a leader that died gets no reply; it is published again with the same id, so a reply that was only slow does no harm.
 */
const publishTimeoutMs = 3_000
/** Part of the maximum message size that is reserved for headers. */
const headersBytes = 4_096
/** Longer than the retention of the stream, so that a tail lost by the stream can be published again. */
const keepPublishedFor = '7 days'
/** Longer than any redelivery: by the stream, or of a tail that is published again. */
const keepReceivedFor = '30 days'

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
const countLost = statement('outbox.untold', `select count(*)::int as lost from outbox_messages where stream_sequence > :last`)
const markLost = statement(
  'outbox.retell',
  `update outbox_messages set published_at = null, stream_sequence = null where stream_sequence > :last`,
)
const oldest = statement(
  'outbox.oldest',
  `select coalesce(extract(epoch from now() - min(occurred_at)), 0)::float as seconds from outbox_messages where published_at is null`,
)
const insertDeadLetter = statement(
  'outbox.bury',
  `with told as (update outbox_messages set published_at = now() where position = :position returning *)
   insert into dead_letters (consumer, message_id, subject, headers, payload, reason)
   select 'outbox-relay', id, subject, jsonb_build_object('aggregate', aggregate_id, 'organization', organization_id), convert_to(payload, 'UTF8'), :reason
   from told`,
)
const sweepReplies = statement('idempotency.sweep', sweepIdempotentReplies)
const sweepInbox = statement('inbox.sweep', `delete from inbox_messages where received_at < now() - interval '${keepReceivedFor}'`)
// Scans positions from the oldest up to the first row within the retention.
const sweep = statement(
  'outbox.sweep',
  `delete from outbox_messages where published_at < now() - interval '${keepPublishedFor}' and position < coalesce(
     (select position from outbox_messages where published_at >= now() - interval '${keepPublishedFor}' order by position limit 1),
     9223372036854775807)`,
)

/**
 * Publishes committed events in order per aggregate, at least once, on one replica at a time. After a crash between publishing and marking,
 * events are published twice: the stream drops the duplicate by its id, and later the inbox does.
 */
export function startRelay(relay: Relay): Closeable {
  const wakeSignal = createWakeSignal()
  relay.wakeUps.on('outbox', () => wakeSignal.wake())
  registerAgeGauge(relay)
  const election = runAsLeader({
    url: relay.database.url,
    name: 'outbox-relay',
    log: relay.log,
    async work(leadership) {
      relay.database.outboxNotifier.setLocalListener(() => wakeSignal.wake())
      try {
        await republishLostTail(relay, leadership)
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
    },
  }
}

async function publishWhileLeader(
  relay: Relay,
  { leadership, wakeSignal }: { leadership: Leadership; wakeSignal: WakeSignal },
): Promise<void> {
  let swept = 0
  while (leadership.isLeader()) {
    const startedAt = performance.now()
    const published = await publishBatch(relay, leadership)
    if (published < batchSize) {
      await wakeSignal.wait(relay.pollMs)
      const remainingMs = startedAt + minIntervalMs - performance.now()
      if (remainingMs > 0) await delay(remainingMs)
    }
    if (Date.now() - swept > 3_600_000) {
      swept = Date.now()
      await leadership.execute(sweep, [])
      await leadership.execute(sweepInbox, [])
      await leadership.execute(sweepReplies, [])
    }
  }
}

/** JetStream acknowledges before it syncs to disk. After a power loss its tail may be missing; it is published again from the outbox. */
async function republishLostTail({ manager, log }: Relay, { execute }: Leadership): Promise<void> {
  const { state } = await manager.streams.info(eventStream.name)
  const [lostRow] = await execute(countLost, [state.last_seq])
  const lost = lostRow?.['lost']
  if (lost === 0) return
  await execute(markLost, [state.last_seq])
  log.warn({ lost, last_sequence: state.last_seq }, 'outbox.tail-republished')
}

async function publishBatch(relay: Relay, leadership: Leadership): Promise<number> {
  const { connection, log } = relay
  const rows = (await leadership.execute(waiting, [batchSize])) as unknown as WaitingRow[]
  if (rows.length === 0) return 0
  const published: { position: string; sequence: number }[] = []
  const messages = signMessages(relay, rows)
  const byAggregate = Map.groupBy(messages, ({ row }) => row.aggregate_id)
  // Within an aggregate each event waits for the acknowledgement of the previous one; a failure stops only its own aggregate.
  const chains = await Promise.allSettled(
    [...byAggregate.values()].map(async (chain) => {
      for (const message of chain) {
        const { row } = message
        if (!leadership.isLeader()) return
        if (isTooLarge(relay, row)) await deadLetterOversized(relay, { row, leadership })
        else published.push({ position: row.position, sequence: await publishMessage(connection, message) })
      }
    }),
  )
  if (published.length > 0)
    await leadership.execute(markPublished, [published.map((row) => row.position), published.map((row) => row.sequence)])
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

/** Reply of JetStream to a published message. */
interface Acknowledgement {
  seq?: number
  error?: { description: string }
}

interface OutgoingMessage {
  row: WaitingRow
  headers: MsgHdrs
  body: Buffer
}

/** Builds the messages of a batch with their headers and signs them with one signature. */
function signMessages({ identity }: Relay, rows: readonly WaitingRow[]): OutgoingMessage[] {
  const messages = rows.map((row) => ({ row, headers: buildHeaders(row), body: Buffer.from(row.payload) }))
  const events = messages.map(({ row, headers: messageHeaders, body }) => ({
    subject: row.subject,
    header: (name: string) => messageHeaders.get(name),
    body,
  }))
  const signatures = signEvents(identity, events)
  for (const [index, message] of messages.entries()) message.headers.set(headers.signature, signatures[index] as string)
  return messages
}

function buildHeaders(row: WaitingRow): MsgHdrs {
  const sent = natsHeaders()
  sent.set('Nats-Msg-Id', row.id)
  sent.set(headers.aggregate, row.aggregate_id)
  sent.set(headers.occurredAt, new Date(row.occurred_at).toISOString())
  if (row.organization_id) sent.set(headers.organization, row.organization_id)
  return sent
}

/** Publishes a message and returns its sequence number in the stream, also if it was already stored under the same id. */
async function publishMessage(connection: NatsConnection, { row, headers: sent, body }: OutgoingMessage): Promise<number> {
  const span = startSpan(row.subject, 'producer', row.traceparent)
  // Without a collector, an event stored without a trace is published without one.
  if (row.traceparent) sent.set(headers.traceparent, span.traceparent)
  const reply = await withSpans([span], () =>
    muxRequest(connection, { subject: row.subject, body, headers: sent, timeoutMs: publishTimeoutMs }),
  )
  const { seq, error } = reply.json<Acknowledgement>()
  if (seq === undefined) throw new Error(`The stream did not store the event: ${error?.description ?? reply.string()}`)
  return seq
}

function registerAgeGauge({ database }: Relay): void {
  gauge('outbox_oldest_unpublished_seconds', 'Age of the oldest committed event that is not published yet, in seconds.', {
    collect: async (gauge) => gauge.set(Number((await database.execute(oldest, []))[0]?.['seconds'])),
  })
}

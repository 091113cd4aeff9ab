import { eventStream } from '@quittance/contracts/streams'
import { headers } from '@quittance/contracts/headers'
import { headers as natsHeaders, type JetStreamManager, type NatsConnection } from 'nats'
import { setTimeout as delay } from 'node:timers/promises'
import { createAlarm, type Alarm } from './alarm.ts'
import type { Database } from './database.ts'
import { sweepIdempotentReplies } from './idempotency.ts'
import { gaugeOf } from './health.ts'
import type { Logger } from './log.ts'
import { maxPayload } from './nats.ts'
import type { Closer } from './shutdown.ts'
import { ask } from './reply-inbox.ts'
import { onlyOne, type Holding } from './single-holder.ts'
import { statement } from './statement.ts'
import { startSpan, traced } from './trace.ts'
import type { WakeUps } from './wake.ts'

interface Relay {
  database: Database
  connection: NatsConnection
  manager: JetStreamManager
  wakeUps: WakeUps
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
 * From one look to the next. An event after a quiet moment is told at once; of many in a row each look takes several along, and so do
 * those who hear them: one statement, one acknowledgement for all.
 */
const apartMs = 40
/** What was sent to a leader that died is never answered; it is told again under the same id, so an answer that was only slow does no harm. */
const publishTimeoutMs = 3_000
/** Room for the headers beside the payload in what a message may hold. */
const headersBytes = 4_096
/** Longer than the stream keeps messages, so that a stream that lost its tail can be told again. */
const keepPublishedFor = '7 days'
/** Longer than anything that could bring a message again: the stream, and a tail that is told again. */
const keepReceivedFor = '30 days'

const waiting = statement(
  'outbox.waiting',
  `select position, id, subject, aggregate_id, organization_id, payload, traceparent, occurred_at
   from outbox_messages where published_at is null order by position limit :batch`,
)
const mark = statement(
  'outbox.mark',
  `update outbox_messages o set published_at = now(), stream_sequence = m.sequence
   from unnest(:positions::bigint[], :sequences::bigint[]) as m (position, sequence) where o.position = m.position`,
)
const untold = statement('outbox.untold', `select count(*)::int as lost from outbox_messages where stream_sequence > :last`)
const retell = statement(
  'outbox.retell',
  `update outbox_messages set published_at = null, stream_sequence = null where stream_sequence > :last`,
)
const oldest = statement(
  'outbox.oldest',
  `select coalesce(extract(epoch from now() - min(occurred_at)), 0)::float as seconds from outbox_messages where published_at is null`,
)
const bury = statement(
  'outbox.bury',
  `with told as (update outbox_messages set published_at = now() where position = :position returning *)
   insert into dead_letters (consumer, message_id, subject, headers, payload, reason)
   select 'outbox-relay', id, subject, jsonb_build_object('aggregate', aggregate_id, 'organization', organization_id), convert_to(payload, 'UTF8'), :reason
   from told`,
)
const sweepReplies = statement('idempotency.sweep', sweepIdempotentReplies)
const sweepInbox = statement('inbox.sweep', `delete from inbox_messages where received_at < now() - interval '${keepReceivedFor}'`)
// Positions are read from the oldest on, as far as what is kept.
const sweep = statement(
  'outbox.sweep',
  `delete from outbox_messages where published_at < now() - interval '${keepPublishedFor}' and position < coalesce(
     (select position from outbox_messages where published_at >= now() - interval '${keepPublishedFor}' order by position limit 1),
     9223372036854775807)`,
)

/**
 * Tells what was committed, in order per aggregate, at least once. One replica at a time. A crash between telling and
 * marking tells twice: the stream drops the second by its id, and later the inbox does.
 */
export function startRelay(relay: Relay): Closer {
  const alarm = createAlarm()
  relay.wakeUps.on('outbox', () => alarm.ring())
  watchAge(relay)
  const holder = onlyOne({
    url: relay.database.url,
    name: 'outbox-relay',
    log: relay.log,
    async work(holding) {
      relay.database.bell.heardBy(() => alarm.ring())
      try {
        await retellLostTail(relay, holding)
        await tellWhileHeld(relay, { holding, alarm })
      } finally {
        relay.database.bell.heardBy(null)
      }
    },
  })
  return {
    name: 'outbox-relay',
    async close() {
      const closed = holder.close()
      alarm.ring()
      await closed
    },
  }
}

async function tellWhileHeld(relay: Relay, { holding, alarm }: { holding: Holding; alarm: Alarm }): Promise<void> {
  let swept = 0
  while (holding.held()) {
    const looked = performance.now()
    const told = await tellBatch(relay, holding)
    if (told < batchSize) {
      await alarm.wait(relay.pollMs)
      const rest = looked + apartMs - performance.now()
      if (rest > 0) await delay(rest)
    }
    if (Date.now() - swept > 3_600_000) {
      swept = Date.now()
      await holding.execute(sweep, [])
      await holding.execute(sweepInbox, [])
      await holding.execute(sweepReplies, [])
    }
  }
}

/** JetStream acknowledges before it syncs to disk: after a power loss its tail may be missing, and is told again from here. */
async function retellLostTail({ manager, log }: Relay, { execute }: Holding): Promise<void> {
  const { state } = await manager.streams.info(eventStream.name)
  const [before] = await execute(untold, [state.last_seq])
  const lost = before?.['lost']
  if (lost === 0) return
  await execute(retell, [state.last_seq])
  log.warn({ lost, last_sequence: state.last_seq }, 'outbox.tail-retold')
}

async function tellBatch(relay: Relay, holding: Holding): Promise<number> {
  const { connection, log } = relay
  const rows = (await holding.execute(waiting, [batchSize])) as unknown as WaitingRow[]
  if (rows.length === 0) return 0
  const told: { position: string; sequence: number }[] = []
  const byAggregate = Map.groupBy(rows, (row) => row.aggregate_id)
  // Within an aggregate the next waits for the acknowledgement of the one before; a failure stops only its own aggregate.
  const chains = await Promise.allSettled(
    [...byAggregate.values()].map(async (chain) => {
      for (const row of chain) {
        if (!holding.held()) return
        if (isTooLarge(relay, row)) await refuse(relay, { row, holding })
        else told.push({ position: row.position, sequence: await tell(connection, row) })
      }
    }),
  )
  if (told.length > 0) await holding.execute(mark, [told.map((row) => row.position), told.map((row) => row.sequence)])
  const failed = chains.find((chain) => chain.status === 'rejected')
  if (failed) {
    log.warn({ err: failed.reason, waiting: rows.length - told.length }, 'outbox.publish-failed')
    return 0
  }
  return rows.length
}

function isTooLarge({ connection }: Relay, { payload }: WaitingRow): boolean {
  return Buffer.byteLength(payload) > maxPayload(connection) - headersBytes
}

/** No try would bring it through: it is kept as a dead letter, and the ones behind it go on. */
async function refuse({ log }: Relay, { row, holding }: { row: WaitingRow; holding: Holding }): Promise<void> {
  const { position, id, subject, payload } = row
  const bytes = Buffer.byteLength(payload)
  await holding.execute(bury, [position, `The event is too large to tell: ${bytes} bytes.`])
  log.error({ message_id: id, subject, bytes }, 'outbox.too-large')
}

/** What JetStream answers when it has the message, or has not. */
interface Acknowledgement {
  seq?: number
  error?: { description: string }
}

/** The stream's sequence number of the message, also where it had it before under the same id. */
async function tell(connection: NatsConnection, row: WaitingRow): Promise<number> {
  const sent = natsHeaders()
  sent.set('Nats-Msg-Id', row.id)
  sent.set(headers.aggregate, row.aggregate_id)
  sent.set(headers.occurredAt, new Date(row.occurred_at).toISOString())
  if (row.organization_id) sent.set(headers.organization, row.organization_id)
  const span = startSpan(row.subject, 'producer', row.traceparent)
  // What was told without a trace stays without one where nobody collects.
  if (row.traceparent) sent.set(headers.traceparent, span.traceparent)
  const asked = { subject: row.subject, body: Buffer.from(row.payload), headers: sent, timeoutMs: publishTimeoutMs }
  const answer = await traced([span], () => ask(connection, asked))
  const { seq, error } = answer.json<Acknowledgement>()
  if (seq === undefined) throw new Error(`The stream did not take the event: ${error?.description ?? answer.string()}`)
  return seq
}

function watchAge({ database }: Relay): void {
  gaugeOf('outbox_oldest_unpublished_seconds', 'Age of the oldest event that was committed and not yet told.', {
    async collect(gauge) {
      const [row] = await database.execute(oldest, [])
      if (row) gauge.set(row['seconds'] as number)
    },
  })
}

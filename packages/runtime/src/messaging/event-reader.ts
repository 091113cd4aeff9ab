import { headers } from '@quittance/contracts/headers'
import { eventStream } from '@quittance/contracts/streams'
import { DeliverPolicy, type JsMsg, type NatsConnection } from 'nats'
import { recreateDurable } from './durable-definition.ts'

/** An event as stored in the stream. */
export interface StoredEvent {
  sequence: number
  time: string
  id: string | null
  subject: string
  aggregate_id: string | null
  organization_id: string | null
  trace_id: string | null
  payload: unknown
}

interface ReadOptions {
  /** One subject, `*` and `>` allowed; `>` for all events. */
  subject: string
  /** Start: a time, or a number of events from the end. */
  from: { since: Date } | { last: number }
  /** Continues with new events until the signal aborts; null: ends with the last stored event. */
  follow: AbortSignal | null
}

/** The server closes a connection for which more than 64 MB wait. A message has at most 8 MB. */
const maxPulledBytes = 16 * 1_048_576

/** Reads the stream without a durable consumer: nothing is acknowledged, and other consumers are not affected. */
export async function* readEvents(connection: NatsConnection, { subject, from, follow }: ReadOptions): AsyncGenerator<StoredEvent> {
  const manager = await connection.jetstreamManager({ checkAPI: false })
  const { state } = await manager.streams.info(eventStream.name)
  const start =
    'since' in from
      ? { deliver_policy: DeliverPolicy.StartTime, opt_start_time: from.since.toISOString() }
      : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: Math.max(1, state.last_seq - from.last + 1) }
  const source = await connection.jetstream().consumers.get(eventStream.name, { filterSubjects: subject, ...start })
  const { num_pending: waiting } = await source.info()
  if (waiting === 0 && !follow) return
  const messages = await source.consume({ max_bytes: maxPulledBytes })
  follow?.addEventListener('abort', () => messages.stop())
  let received = 0
  for await (const message of messages) {
    received += 1
    if (!follow && received >= waiting) messages.stop()
    yield toStoredEvent(message)
  }
}

function toStoredEvent(message: JsMsg): StoredEvent {
  const header = (name: string) => message.headers?.get(name) || null
  return {
    sequence: message.seq,
    time: new Date(message.info.timestampNanos / 1e6).toISOString(),
    id: header('Nats-Msg-Id'),
    subject: message.subject,
    aggregate_id: header(headers.aggregate),
    organization_id: header(headers.organization),
    trace_id: header(headers.traceparent)?.slice(3, 35) ?? null,
    payload: readPayload(message),
  }
}

/** Returns the JSON of a message, or its text: what is not an event of this system must not hide the others. */
function readPayload(message: JsMsg): unknown {
  try {
    return message.json()
  } catch {
    return message.string()
  }
}

/**
 * Resets a durable to a time. Its inbox skips events already handled, so only missed ones are processed. The service may run at the same
 * time: it continues at the new position. Returns the number of events delivered again.
 */
export async function resetDurable(
  connection: Pick<NatsConnection, 'jetstreamManager'>,
  { durable, since }: { durable: string; since: Date },
): Promise<number> {
  const manager = await connection.jetstreamManager({ checkAPI: false })
  const { config } = await manager.consumers.info(eventStream.name, durable)
  const { opt_start_seq: _, ...baseConfig } = config
  const start = { deliver_policy: DeliverPolicy.StartTime, opt_start_time: since.toISOString() }
  const { num_pending: waiting } = await recreateDurable(manager, { ...baseConfig, durable_name: durable, ...start })
  return waiting
}

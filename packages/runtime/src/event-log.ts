import { headers } from '@quittance/contracts/headers'
import { eventStream } from '@quittance/contracts/streams'
import { DeliverPolicy, NatsError, type JsMsg, type NatsConnection } from 'nats'

/** An event as it stands in the stream. */
export interface LoggedEvent {
  sequence: number
  time: string
  id: string | null
  subject: string
  aggregate_id: string | null
  organization_id: string | null
  trace_id: string | null
  payload: unknown
}

interface Reading {
  /** One subject, `*` and `>` allowed; all events unless given. */
  subject: string
  /** Where to begin: a time, or so many events from the end. */
  from: { since: Date } | { last: number }
  /** Goes on with what is told from now on; ends when the signal does. */
  follow: AbortSignal | null
}

/** Reads the stream without being a consumer of it: nothing is acknowledged, and nobody else gets less. */
export async function* readEvents(connection: NatsConnection, { subject, from, follow }: Reading): AsyncGenerator<LoggedEvent> {
  const manager = await connection.jetstreamManager({ checkAPI: false })
  const { state } = await manager.streams.info(eventStream.name)
  const start =
    'since' in from
      ? { deliver_policy: DeliverPolicy.StartTime, opt_start_time: from.since.toISOString() }
      : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: Math.max(1, state.last_seq - from.last + 1) }
  const source = await connection.jetstream().consumers.get(eventStream.name, { filterSubjects: subject, ...start })
  const { num_pending: waiting } = await source.info()
  if (waiting === 0 && !follow) return
  const messages = follow ? await source.consume() : await source.fetch({ max_messages: waiting, expires: 5_000 })
  follow?.addEventListener('abort', () => messages.stop())
  for await (const message of messages) yield described(message)
}

function described(message: JsMsg): LoggedEvent {
  const header = (name: string) => message.headers?.get(name) || null
  return {
    sequence: message.seq,
    time: new Date(message.info.timestampNanos / 1e6).toISOString(),
    id: header('Nats-Msg-Id'),
    subject: message.subject,
    aggregate_id: header(headers.aggregate),
    organization_id: header(headers.organization),
    trace_id: header(headers.traceparent)?.slice(3, 35) ?? null,
    payload: message.json(),
  }
}

const notFound = 10014
const alreadyThere = new Set([10013, 10148])

/**
 * Lets a durable hear again everything since a time. What it has handled its inbox drops, so only what it missed is done. The service
 * may run meanwhile: it goes on with the new position. Answers how many events it hears again.
 */
export async function rewindDurable(connection: NatsConnection, { durable, since }: { durable: string; since: Date }): Promise<number> {
  const manager = await connection.jetstreamManager({ checkAPI: false })
  const { config } = await manager.consumers.info(eventStream.name, durable)
  const { opt_start_seq: _, ...kept } = config
  for (let attempt = 1; ; attempt++) {
    await manager.consumers.delete(eventStream.name, durable).catch(unless(new Set([notFound])))
    try {
      const { num_pending: waiting } = await manager.consumers.add(eventStream.name, {
        ...kept,
        deliver_policy: DeliverPolicy.StartTime,
        opt_start_time: since.toISOString(),
      })
      return waiting
    } catch (error) {
      // The service found it missing and made it anew in between.
      if (attempt === 5) throw error
      unless(alreadyThere)(error)
    }
  }
}

function unless(codes: ReadonlySet<number>) {
  return (error: unknown): void => {
    if (!(error instanceof NatsError) || !codes.has(error.api_error?.err_code ?? 0)) throw error
  }
}

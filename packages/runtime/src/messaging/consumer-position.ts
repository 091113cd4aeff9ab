import { bindValues, statement } from '@quittance/sql/statement'
import type { Execute } from '@quittance/sql/view'
import type { JsMsg } from 'nats'
import { isUuid } from './incoming-event.ts'
import type { PublishedEvent } from './verify-events.ts'

/** Table of every service with consumers. Part of a migration. */
export const consumerPositionsTable = [
  `create table consumer_positions (
    consumer text primary key,
    message_id uuid not null,
    stream_sequence bigint not null check (stream_sequence > 0),
    stored_at timestamptz not null
  )`,
]

const selectPosition = statement(
  'consumer-positions.read',
  `select message_id, stream_sequence, stored_at from consumer_positions where consumer = :consumer`,
)
const upsertPosition = statement(
  'consumer-positions.write',
  `insert into consumer_positions (consumer, message_id, stream_sequence, stored_at) values (:consumer, :id, :sequence, :stored_at)
   on conflict (consumer) do update
   set message_id = excluded.message_id, stream_sequence = excluded.stream_sequence, stored_at = excluded.stored_at`,
)

/** An event that a consumer has handled. */
export interface HandledEvent extends PublishedEvent {
  /** Time at which the stream stored it, by the server's clock. */
  storedAt: Date
}

/** Position of a consumer in the stream, in the database of its service. */
export interface PositionStore {
  /** Returns the event up to which the consumer has acknowledged at most; null before the first one. */
  read(): Promise<HandledEvent | null>
  write(event: HandledEvent): Promise<void>
}

/**
 * Stores how far a consumer came, because NATS may lose the end of the stream and keep the state of the consumer, which then is ahead. The
 * position is written before the acknowledgement, so it is never behind that state.
 */
export function createPositionStore(execute: Execute, consumer: string): PositionStore {
  return {
    async read() {
      const [row] = await execute(selectPosition, bindValues(selectPosition, { consumer }))
      if (!row) return null
      const { message_id: id, stream_sequence: sequence, stored_at: storedAt } = row
      return { id: String(id), sequence: Number(sequence), storedAt: storedAt as Date }
    },
    async write({ id, sequence, storedAt }) {
      await execute(upsertPosition, bindValues(upsertPosition, { consumer, id, sequence, stored_at: storedAt }))
    },
  }
}

/** Returns the event of a handled message; null if its id is not readable. */
export function toHandled({ seq: sequence, headers, info }: JsMsg): HandledEvent | null {
  const id = headers?.get('Nats-Msg-Id') ?? ''
  return isUuid(id) ? { id, sequence, storedAt: new Date(info.timestampNanos / 1e6) } : null
}

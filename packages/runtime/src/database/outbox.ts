import { randomUUID } from 'node:crypto'
import type { Event, PayloadOf } from '@quittance/contracts/event'
import type { BoundStatement } from '@quittance/sql/statement'
import type { JsonText } from '@quittance/sql/view'

/** An event to publish, with its aggregate and organization. */
export interface OutboxEvent<E extends Event> {
  event: E
  /** Events of one aggregate keep their order. */
  aggregateId: string
  organizationId: string | null
  payload: PayloadOf<E> | JsonText<PayloadOf<E>>
}

/** Maximum number of events per statement; one statement is prepared for each count. */
const maxEventsPerStatement = 8
/** Columns with a value per event, after the shared one. */
const columnsPerEvent = 5

// Rows get positions in the order in which the events were published. Their time is that of the database, directly before the commit: clocks of
// processes differ, and webhooks compares it with the registration of endpoints.
const insertStatements = Array.from({ length: maxEventsPerStatement }, (_, last) => {
  const row = (n: number) =>
    `(${Array.from({ length: columnsPerEvent }, (__, column) => `$${2 + n * columnsPerEvent + column}`).join(', ')}, $1::text, clock_timestamp())`
  return {
    name: `outbox.record-${last + 1}`,
    text: `insert into outbox_messages (id, subject, aggregate_id, organization_id, payload, traceparent, occurred_at)
      values ${Array.from({ length: last + 1 }, (__, n) => row(n)).join(', ')}`,
  }
})

/** Returns the statements that insert events in their transaction; the relay publishes them after the commit, at least once. */
export function createOutboxInserts(
  events: readonly OutboxEvent<Event>[],
  { traceparent }: { traceparent: string | null },
): BoundStatement[] {
  const statements: BoundStatement[] = []
  for (let first = 0; first < events.length; first += maxEventsPerStatement) {
    const chunk = events.slice(first, first + maxEventsPerStatement)
    const values: BoundStatement['values'] = [traceparent]
    for (const { event, aggregateId, organizationId, payload } of chunk) {
      const text = typeof payload === 'string' ? payload : JSON.stringify(payload)
      values.push(randomUUID(), event.subject, aggregateId, organizationId, text)
    }
    statements.push({ ...(insertStatements[chunk.length - 1] as { name: string; text: string }), values })
  }
  return statements
}

/** Tables of every service with a database. Part of its first migration. */
export const messagingTables = [
  `create table outbox_messages (
    position bigint generated always as identity primary key,
    id uuid not null,
    subject text not null,
    aggregate_id uuid not null,
    organization_id uuid,
    payload text not null,
    traceparent text,
    occurred_at timestamptz not null,
    published_at timestamptz,
    stream_sequence bigint,
    constraint outbox_messages_id_unique unique (id)
  )`,
  `create index outbox_messages_waiting on outbox_messages (position) where published_at is null`,
  `create index outbox_messages_by_stream_sequence on outbox_messages (stream_sequence) where stream_sequence is not null`,
  `create index outbox_messages_by_publication on outbox_messages (published_at) where published_at is not null`,
  `create function wake_outbox() returns trigger language plpgsql as $$
  begin
    perform pg_notify('wake', 'outbox');
    return null;
  end $$`,
  `create trigger outbox_messages_wake after insert on outbox_messages for each statement execute function wake_outbox()`,
  `create table inbox_messages (
    consumer text not null,
    message_id uuid not null,
    received_at timestamptz not null default now(),
    primary key (consumer, message_id)
  )`,
  `create index inbox_messages_by_arrival on inbox_messages (received_at)`,
  `create table dead_letters (
    id uuid primary key default gen_random_uuid(),
    consumer text not null,
    message_id text,
    subject text not null,
    headers jsonb not null,
    payload bytea not null,
    reason text not null,
    created_at timestamptz not null default now()
  )`,
]

/**
 * Writers no longer wake the relay inside their transactions (`outbox-notifier.ts`), and events published long ago are found by position.
 * Part of a migration of every service with a database.
 */
export const dropOutboxTrigger = [
  `drop trigger outbox_messages_wake on outbox_messages`,
  `drop function wake_outbox()`,
  `drop index outbox_messages_by_publication`,
]

/**
 * Every index of the outbox is written twice per event, on commit and on publication, so only the two that find rows remain. Ids are random
 * and never looked up. The sequence is looked up when a relay starts, and increases with the rows. Part of a migration of every service
 * with a database.
 */
export const slimOutboxIndexes = [
  `alter table outbox_messages drop constraint outbox_messages_id_unique`,
  `drop index outbox_messages_by_stream_sequence`,
  `create index outbox_messages_by_stream_sequence on outbox_messages using brin (stream_sequence)`,
]

import { randomUUID } from 'node:crypto'
import type { Event, PayloadOf } from '@quittance/contracts/event'
import type { Bound } from './statement.ts'
import type { JsonText } from './view.ts'

/** The fact and what it is about. */
export interface Fact<E extends Event> {
  event: E
  /** Events of one aggregate keep their order. */
  aggregateId: string
  organizationId: string | null
  payload: PayloadOf<E> | JsonText<PayloadOf<E>>
}

/** Facts of one statement; of each number one is prepared. */
const most = 8
/** Columns that each fact has its own value of, behind the two that all share. */
const own = 5

// Rows get their positions in the order in which the facts were told.
const record = Array.from({ length: most }, (_, last) => {
  const row = (n: number) =>
    `(${Array.from({ length: own }, (__, column) => `$${3 + n * own + column}`).join(', ')}, $1::text, $2::timestamptz)`
  return {
    name: `outbox.record-${last + 1}`,
    text: `insert into outbox_messages (id, subject, aggregate_id, organization_id, payload, traceparent, occurred_at)
      values ${Array.from({ length: last + 1 }, (__, n) => row(n)).join(', ')}`,
  }
})

/** The statements that record facts in their transaction; the relay tells them after the commit, at least once. */
export function recordsOf(facts: readonly Fact<Event>[], unit: { now: Date; traceparent: string | null }): Bound[] {
  const records: Bound[] = []
  for (let first = 0; first < facts.length; first += most) {
    const together = facts.slice(first, first + most)
    const values: Bound['values'] = [unit.traceparent, unit.now.toISOString()]
    for (const { event, aggregateId, organizationId, payload } of together) {
      const text = typeof payload === 'string' ? payload : JSON.stringify(payload)
      values.push(randomUUID(), event.subject, aggregateId, organizationId, text)
    }
    records.push({ ...(record[together.length - 1] as { name: string; text: string }), values })
  }
  return records
}

/** Tables every service with a database has. Part of its first migration. */
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
 * Writers no longer wake the relay inside their transactions (`outbox-bell.ts`), and what was told long ago is found by its position.
 * Part of a migration of every service with a database.
 */
export const lighterOutbox = [
  `drop trigger outbox_messages_wake on outbox_messages`,
  `drop function wake_outbox()`,
  `drop index outbox_messages_by_publication`,
]

/**
 * Every index of the outbox is written twice for each event, when it is committed and when it is told: only the two that find rows stay.
 * Ids are drawn by chance and never looked up; the sequence is looked up when a relay begins, and grows with the rows. Part of a migration
 * of every service with a database.
 */
export const narrowOutbox = [
  `alter table outbox_messages drop constraint outbox_messages_id_unique`,
  `drop index outbox_messages_by_stream_sequence`,
  `create index outbox_messages_by_stream_sequence on outbox_messages using brin (stream_sequence)`,
]

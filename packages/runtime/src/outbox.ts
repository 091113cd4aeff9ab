import { randomUUID } from 'node:crypto'
import { defineEntity, p } from '@mikro-orm/core'
import type { Event, PayloadOf } from '@quittance/contracts/event'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { JsonText } from './view.ts'

const OutboxSchema = defineEntity({
  name: 'OutboxMessage',
  tableName: 'outbox_messages',
  properties: {
    id: p.uuid().primary(),
    subject: p.text(),
    aggregateId: p.uuid(),
    organizationId: p.uuid().nullable(),
    payload: p.text(),
    traceparent: p.text().nullable(),
    occurredAt: p.datetime(),
  },
})

/** An event waiting to be told. The relay reads and marks rows by SQL; see `outbox-relay.ts`. */
export class OutboxMessage extends OutboxSchema.class {}
OutboxSchema.setClass(OutboxMessage)
export { OutboxSchema }

/** The fact and what it is about. */
export interface Fact<E extends Event> {
  event: E
  /** Events of one aggregate keep their order. */
  aggregateId: string
  organizationId: string | null
  payload: PayloadOf<E> | JsonText<PayloadOf<E>>
}

/** Records the fact in the caller's transaction; the relay tells it after the commit, at least once. */
export function recordFact<E extends Event>(
  em: EntityManager,
  { event, aggregateId, organizationId, payload }: Fact<E>,
  unit: { now: Date; traceparent: string | null },
): void {
  em.create(OutboxMessage, {
    id: randomUUID(),
    subject: event.subject,
    aggregateId,
    organizationId,
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
    traceparent: unit.traceparent,
    occurredAt: unit.now,
  })
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

import type { SystemSql } from '@quittance/sql/sql-runner'
import { withoutNul, type StoredMessage } from './incoming-event.ts'
import type { RetryDecision } from './retry-schedule.ts'

/** Table of every service with consumers. Part of a migration. */
export const parkedMessagesTable = [
  `create table parked_messages (
    position bigint generated always as identity primary key,
    consumer text not null,
    message_id uuid not null,
    ordering_key text not null,
    subject text not null,
    headers jsonb not null,
    payload bytea not null,
    attempts integer not null default 0 check (attempts >= 0),
    next_attempt_at timestamptz not null default now(),
    reason text,
    parked_at timestamptz not null default now(),
    constraint parked_messages_id_unique unique (consumer, message_id)
  )`,
  `create index parked_messages_by_key on parked_messages (consumer, ordering_key, position)`,
]

const insert = `
  insert into parked_messages (consumer, message_id, ordering_key, subject, headers, payload, attempts, next_attempt_at, reason)
  values (:consumer, :id, :key, :subject, :headers, :payload, :attempts, now() + :delay * interval '1 millisecond', :reason)
  on conflict (consumer, message_id) do nothing returning position`
const summarize = `
  select ordering_key as key, count(*)::int as count,
    (extract(epoch from (array_agg(next_attempt_at order by position))[1] - now()) * 1000)::float as due
  from parked_messages where consumer = :consumer group by ordering_key`
const readFirst = `
  select position, subject, headers, payload, attempts from parked_messages
  where consumer = :consumer and ordering_key = :key order by position limit :limit`
const remove = `delete from parked_messages where position = any (:positions::bigint[])`
const postpone = `
  update parked_messages set attempts = attempts + :counted::int, next_attempt_at = now() + :delay * interval '1 millisecond', reason = :reason
  where position = :position`
const moveToDeadLetters = `
  with moved as (delete from parked_messages where position = :position returning *)
  insert into dead_letters (consumer, message_id, subject, headers, payload, reason)
  select consumer, message_id::text, subject, headers, payload, :reason from moved`

/** A parked message as stored. */
export interface ParkedRow extends StoredMessage {
  position: string
  attempts: number
}

/** Parked messages of one key. */
export interface ParkedSummary {
  key: string
  count: number
  /** Milliseconds until the next attempt of the first one. */
  due: number
}

/** A message to park. */
export interface NewParkedMessage {
  id: string
  key: string
  message: StoredMessage
  /** Attempts that are counted. */
  attempts: 0 | 1
  /** Milliseconds until the next attempt. */
  delay: number
  reason: string | null
}

/** Returns the parked messages of one consumer in its database. */
export function createParkedMessageStore(systemSql: SystemSql, consumer: string) {
  return {
    summarize: () => systemSql<ParkedSummary>('parked-messages.summarize', summarize, { consumer }),
    readFirst: (key: string, limit: number) => systemSql<ParkedRow>('parked-messages.first', readFirst, { consumer, key, limit }),
    /** Returns whether the message was not parked before. */
    async insert({ message: { subject, headers, payload }, reason, ...about }: NewParkedMessage): Promise<boolean> {
      const values = { consumer, subject, headers, payload, ...about, reason: reason === null ? null : withoutNul(reason) }
      return (await systemSql('parked-messages.insert', insert, values)).length > 0
    },
    remove: (positions: readonly string[]) => systemSql('parked-messages.remove', remove, { positions }),
    postpone: (position: string, { reason, ...decision }: RetryDecision & { reason: string }) =>
      systemSql('parked-messages.postpone', postpone, { position, ...decision, reason: withoutNul(reason) }),
    moveToDeadLetters: (position: string, reason: string) =>
      systemSql('parked-messages.dead-letter', moveToDeadLetters, { position, reason: withoutNul(reason) }),
  }
}

import { idempotencyTable, slimIdempotencyIndexes } from '@quittance/runtime/idempotency'
import { dropOutboxTrigger, messagingTables, slimOutboxIndexes } from '@quittance/runtime/outbox'
import { parkedMessagesTable } from '@quittance/runtime/parked-messages'
import { migration } from '@quittance/runtime/schema'

export const createMail = migration('20261123170000-create-mail', [
  ...messagingTables,
  ...idempotencyTable,
  ...dropOutboxTrigger,
  ...slimOutboxIndexes,
  ...slimIdempotencyIndexes,
  ...parkedMessagesTable,
  // Events from before the installation bring no mails: the stream keeps seven days, and their buyers expect no receipts.
  `create table installation (
    is_single boolean primary key default true check (is_single),
    installed_at timestamptz not null default now()
  )`,
  `insert into installation default values`,
  // Copies of what mails need of sellers, customers and subscriptions. The later event wins.
  `create table organizations (
    id uuid primary key,
    name text not null,
    slug text not null,
    email text,
    customer_email_settings jsonb not null,
    occurred_at timestamptz not null
  )`,
  `create table customers (
    id uuid primary key,
    organization_id uuid not null,
    email text,
    locale text,
    changed_at timestamptz not null,
    deleted_at timestamptz,
    constraint customers_deleted_without_address check (deleted_at is null or (email is null and locale is null))
  )`,
  `create index customers_deleted on customers (deleted_at) where deleted_at is not null`,
  `create table subscriptions (
    id uuid primary key,
    organization_id uuid not null,
    product_id uuid not null,
    product_name text not null
  )`,
  `create table messages (
    id uuid primary key default gen_random_uuid(),
    created_at timestamptz not null default now(),
    organization_id uuid,
    -- Whose turn it is; without an organization each recipient has one.
    turn_id uuid not null generated always as (coalesce(organization_id, recipient_id)) stored,
    kind text not null,
    source_id uuid not null,
    recipient_id uuid not null,
    customer_id uuid,
    recipient text,
    locale text,
    is_urgent boolean not null,
    content jsonb,
    sealed_secret text,
    status text not null default 'waiting' check (status in ('waiting', 'sent', 'failed', 'expired', 'disabled', 'cancelled')),
    attempts integer not null default 0 check (attempts >= 0),
    failures integer not null default 0 check (failures >= 0),
    next_attempt_at timestamptz default now(),
    leased_until timestamptz,
    expires_at timestamptz,
    last_error text,
    ended_at timestamptz,
    traceparent text,
    constraint messages_one_per_recipient unique (source_id, kind, recipient_id),
    constraint messages_waiting_is_due check ((status = 'waiting') = (next_attempt_at is not null)),
    constraint messages_waiting_has_content check (status <> 'waiting' or content is not null),
    constraint messages_ended_has_time check ((status = 'waiting') = (ended_at is null)),
    constraint messages_secret_until_ended check (status = 'waiting' or sealed_secret is null),
    constraint messages_lease_of_waiting check (status = 'waiting' or leased_until is null)
  )`,
  `create index messages_due on messages (is_urgent, turn_id, next_attempt_at) where status = 'waiting'`,
  `create index messages_by_due_time on messages (is_urgent, next_attempt_at) where status = 'waiting'`,
  `create index messages_expiring on messages (expires_at) where status = 'waiting' and expires_at is not null`,
  `create index messages_by_organization on messages (organization_id, created_at)`,
  `create index messages_by_customer on messages (customer_id) where customer_id is not null`,
  `create index messages_with_content on messages (ended_at) where content is not null and ended_at is not null`,
  `create index messages_by_end on messages (ended_at) where ended_at is not null`,
  // What would have been sent; encrypted, because it contains codes.
  `create table mailbox_messages (
    id uuid primary key references messages (id) on delete cascade,
    position bigint generated always as identity unique,
    stored_at timestamptz not null default now(),
    sealed_source text not null
  )`,
])

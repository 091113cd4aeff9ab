import { migration } from '@quittance/runtime/schema'
import { messagingTables } from '@quittance/runtime/outbox'

export const createWebhooks = migration('20261120120000-create-webhooks', [
  ...messagingTables,
  `create table webhook_endpoints (
    id uuid primary key,
    created_at timestamptz not null,
    modified_at timestamptz,
    version integer not null default 1,
    organization_id uuid not null,
    url text not null check (length(url) between 1 and 2083),
    format text not null check (format in ('raw', 'discord', 'slack')),
    events text[] not null check (cardinality(events) > 0),
    sealed_secret text,
    deleted_at timestamptz,
    constraint webhook_endpoints_secret_until_deleted check ((sealed_secret is null) = (deleted_at is not null))
  )`,
  `create index webhook_endpoints_by_organization on webhook_endpoints (organization_id, created_at) where deleted_at is null`,
  // The id is the event's id, and the webhook-id of every attempt at every endpoint.
  `create table webhook_events (
    id uuid primary key,
    created_at timestamptz not null default now(),
    organization_id uuid not null,
    type text not null,
    aggregate_id uuid not null,
    occurred_at timestamptz not null,
    payload text not null
  )`,
  `create index webhook_events_by_organization on webhook_events (organization_id, created_at)`,
  // One event for one endpoint. `position` is the order of arrival.
  `create table webhook_deliveries (
    id uuid primary key default gen_random_uuid(),
    position bigint generated always as identity,
    created_at timestamptz not null default now(),
    modified_at timestamptz,
    event_id uuid not null references webhook_events (id),
    endpoint_id uuid not null references webhook_endpoints (id),
    aggregate_id uuid not null,
    event_type text not null,
    status text not null default 'pending' check (status in ('pending', 'succeeded', 'failed', 'cancelled')),
    round integer not null default 1 check (round >= 1),
    attempts integer not null default 0 check (attempts >= 0),
    next_attempt_at timestamptz default now(),
    lease uuid,
    leased_until timestamptz,
    last_http_code integer,
    constraint webhook_deliveries_one_per_endpoint unique (event_id, endpoint_id),
    constraint webhook_deliveries_pending_is_due check ((status = 'pending') = (next_attempt_at is not null)),
    constraint webhook_deliveries_lease_has_end check ((lease is null) = (leased_until is null)),
    constraint webhook_deliveries_lease_of_pending check (lease is null or status = 'pending')
  )`,
  `create index webhook_deliveries_due on webhook_deliveries (next_attempt_at, position) where status = 'pending'`,
  `create index webhook_deliveries_waiting on webhook_deliveries (endpoint_id, aggregate_id, position) where status = 'pending'`,
  // A row claimed by one replica cannot be claimed by another, even at the same instant.
  `create unique index webhook_deliveries_one_in_flight on webhook_deliveries (endpoint_id, aggregate_id) where lease is not null`,
  `create table webhook_attempts (
    id uuid primary key default gen_random_uuid(),
    created_at timestamptz not null default now(),
    organization_id uuid not null,
    endpoint_id uuid not null,
    delivery_id uuid not null references webhook_deliveries (id),
    round integer not null,
    number integer not null check (number >= 1),
    http_code integer,
    succeeded boolean not null,
    reason text,
    response_excerpt text,
    duration_ms integer not null check (duration_ms >= 0),
    constraint webhook_attempts_number_unique unique (delivery_id, round, number),
    constraint webhook_attempts_failed_has_reason check (succeeded = (reason is null))
  )`,
  `create index webhook_attempts_by_organization on webhook_attempts (organization_id, created_at, id)`,
  `create index webhook_attempts_by_endpoint on webhook_attempts (endpoint_id, created_at, id)`,
])

import { migration } from '@quittance/runtime/schema'

const kept = ['webhook_events', 'webhook_deliveries', 'webhook_attempts'] as const

/**
 * Adds one queue per endpoint (`webhook_lanes`), which replicas lease; deliveries lose their own leases. Tables with a retention period are
 * partitioned by time. Replicas of the previous version cannot use these tables and must be stopped before (docs/operations.md).
 */
export const deliverByEndpointQueues = migration('20261122020000-deliver-by-lanes', [
  `lock table webhook_endpoints, ${kept.join(', ')} in access exclusive mode`,
  ...kept.map((table) => `alter table ${table} rename to ${table}_before`),
  `alter table webhook_endpoints
    add column disabled_at timestamptz,
    add column disabled_reason text,
    add column rate_limit integer,
    add column sealed_previous jsonb not null default '[]',
    add constraint webhook_endpoints_disabled_has_reason check ((disabled_at is null) = (disabled_reason is null)),
    add constraint webhook_endpoints_disabled_reason_known check (disabled_reason in ('gone', 'failing', 'requested')),
    add constraint webhook_endpoints_rate_limit_positive check (rate_limit between 1 and 1000),
    add constraint webhook_endpoints_previous_is_list check (jsonb_typeof(sealed_previous) = 'array'),
    add constraint webhook_endpoints_no_previous_when_deleted check (deleted_at is null or sealed_previous = '[]')`,
  // Queues are leased by `ready_at`, so that a paused queue is not checked repeatedly.
  `create table webhook_lanes (
    endpoint_id uuid primary key references webhook_endpoints (id),
    next_due_at timestamptz,
    paused_until timestamptz,
    ready_at timestamptz generated always as (case when next_due_at is not null then greatest(next_due_at, paused_until) end) stored,
    is_proven boolean not null default false,
    owner uuid,
    leased_until timestamptz,
    epoch bigint not null default 0,
    trips integer not null default 0 check (trips >= 0),
    last_success_at timestamptz,
    failing_since timestamptz,
    warned_at timestamptz,
    constraint webhook_lanes_owner_has_lease check ((owner is null) = (leased_until is null)),
    constraint webhook_lanes_warned_when_failing check (warned_at is null or failing_since is not null)
  ) with (fillfactor = 50)`,
  `create index webhook_lanes_ready on webhook_lanes (is_proven, ready_at) where ready_at is not null`,
  `create index webhook_lanes_failing on webhook_lanes (failing_since) where failing_since is not null`,
  `insert into webhook_lanes (endpoint_id, next_due_at)
    select e.id, (select min(d.next_attempt_at) from webhook_deliveries_before d where d.endpoint_id = e.id and d.status = 'pending')
    from webhook_endpoints e`,
  // The time of an event never changes. Because it is part of the key, a redelivered event is still found.
  `create table webhook_events (
    id uuid not null,
    occurred_at timestamptz not null,
    created_at timestamptz not null default now(),
    organization_id uuid not null,
    type text not null,
    aggregate_id uuid not null,
    payload text not null
  ) partition by range (occurred_at)`,
  `create sequence webhook_delivery_positions as bigint`,
  // No foreign key to events: dropping a partition would read every delivery. One statement writes both rows into the same period.
  `create table webhook_deliveries (
    event_id uuid not null,
    endpoint_id uuid not null references webhook_endpoints (id),
    occurred_at timestamptz not null,
    position bigint not null default nextval('webhook_delivery_positions'),
    created_at timestamptz not null default now(),
    modified_at timestamptz,
    aggregate_id uuid not null,
    event_type text not null,
    body text,
    is_test boolean not null default false,
    status text not null check (status in ('pending', 'held', 'succeeded', 'failed', 'cancelled')),
    round integer not null default 1 check (round >= 1),
    attempts integer not null default 0 check (attempts >= 0),
    next_attempt_at timestamptz,
    last_http_code integer,
    constraint webhook_deliveries_pending_is_due check ((status = 'pending') = (next_attempt_at is not null))
  ) partition by range (occurred_at)`,
  `create table webhook_attempts (
    id uuid not null default gen_random_uuid(),
    created_at timestamptz not null,
    organization_id uuid not null,
    endpoint_id uuid not null,
    event_id uuid not null,
    occurred_at timestamptz not null,
    event_type text not null,
    round integer not null check (round >= 1),
    number integer not null check (number >= 1),
    http_code integer,
    succeeded boolean not null,
    reason text,
    response_excerpt text,
    duration_ms integer not null check (duration_ms >= 0),
    constraint webhook_attempts_failed_has_reason check (succeeded = (reason is null))
  ) partition by range (created_at)`,
  // Periods are counted from 1970, so that they are the same for every replica.
  `create function ensure_webhook_partitions(parent text, days integer, first_at timestamptz, last_at timestamptz) returns void
  language plpgsql as $$
  declare
    seconds constant bigint := days * 86400;
    begins timestamptz;
    part text;
  begin
    for period in floor(extract(epoch from first_at) / seconds)::bigint .. floor(extract(epoch from last_at) / seconds)::bigint loop
      begins := to_timestamp(period * seconds);
      part := parent || '_' || to_char(begins at time zone 'UTC', 'YYYYMMDD');
      if to_regclass(part) is null then
        execute format('create table %I partition of %I for values from (%L) to (%L)', part, parent, begins, to_timestamp((period + 1) * seconds));
      end if;
    end loop;
  end $$`,
  // Drops whole partitions, and deletes rows of the same age from the default partition. The lock timeout is short; the job retries an hour
  // later.
  `create function drop_webhook_partitions(parent text, days integer, kept interval, column_name text) returns integer
  language plpgsql as $$
  declare
    part record;
    dropped integer := 0;
  begin
    perform set_config('lock_timeout', '2s', true);
    for part in
      select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = parent::regclass and c.relname ~ '_[0-9]{8}$'
        and to_timestamp(right(c.relname, 8) || ' +00', 'YYYYMMDD TZH') + make_interval(days => days) < now() - kept
    loop
      execute format('drop table %I', part.name);
      dropped := dropped + 1;
    end loop;
    execute format('delete from %I where %I < now() - $1', parent || '_default', column_name) using kept;
    return dropped;
  end $$`,
  // Accepts rows outside of every period, which a wrong clock may produce.
  ...kept.map((table) => `create table ${table}_default partition of ${table} default`),
  `select ensure_webhook_partitions('webhook_events', 30, now() - interval '150 days', now() + interval '60 days'),
    ensure_webhook_partitions('webhook_deliveries', 30, now() - interval '150 days', now() + interval '60 days'),
    ensure_webhook_partitions('webhook_attempts', 7, now() - interval '40 days', now() + interval '21 days')`,
  `insert into webhook_events (id, occurred_at, created_at, organization_id, type, aggregate_id, payload)
    select id, occurred_at, created_at, organization_id, type, aggregate_id, payload from webhook_events_before`,
  `insert into webhook_deliveries (event_id, endpoint_id, occurred_at, position, created_at, modified_at, aggregate_id, event_type, status,
      round, attempts, next_attempt_at, last_http_code)
    select d.event_id, d.endpoint_id, e.occurred_at, d.position, d.created_at, d.modified_at, d.aggregate_id, d.event_type, d.status,
      d.round, d.attempts, d.next_attempt_at, d.last_http_code
    from webhook_deliveries_before d join webhook_events_before e on e.id = d.event_id`,
  `select setval('webhook_delivery_positions', coalesce(max(position), 0) + 1) from webhook_deliveries_before`,
  `insert into webhook_attempts (id, created_at, organization_id, endpoint_id, event_id, occurred_at, event_type, round, number, http_code,
      succeeded, reason, response_excerpt, duration_ms)
    select a.id, a.created_at, a.organization_id, a.endpoint_id, d.event_id, e.occurred_at, d.event_type, a.round, a.number, a.http_code,
      a.succeeded, a.reason, a.response_excerpt, a.duration_ms
    from webhook_attempts_before a join webhook_deliveries_before d on d.id = a.delivery_id join webhook_events_before e on e.id = d.event_id`,
  ...kept.toReversed().map((table) => `drop table ${table}_before`),
  `alter table webhook_events add primary key (id, occurred_at)`,
  `create index webhook_events_by_organization on webhook_events (organization_id, type, occurred_at)`,
  `alter table webhook_deliveries add primary key (event_id, endpoint_id, occurred_at)`,
  `create index webhook_deliveries_due on webhook_deliveries (endpoint_id, next_attempt_at, position) where status = 'pending'`,
  `create index webhook_deliveries_missed on webhook_deliveries (endpoint_id, position) where status in ('held', 'failed')`,
  `alter table webhook_attempts add primary key (id, created_at)`,
  `create index webhook_attempts_by_organization on webhook_attempts (organization_id, created_at, id)`,
  `create index webhook_attempts_by_endpoint on webhook_attempts (endpoint_id, created_at, id)`,
  `create index webhook_attempts_by_event on webhook_attempts (event_id)`,
  `create table webhook_recoveries (
    id uuid primary key,
    endpoint_id uuid not null references webhook_endpoints (id),
    organization_id uuid not null,
    since timestamptz not null,
    until timestamptz not null,
    created_at timestamptz not null default now(),
    reached bigint not null default 0,
    ended_at timestamptz,
    constraint webhook_recoveries_since_before_until check (since < until)
  )`,
  `create index webhook_recoveries_open on webhook_recoveries (created_at) where ended_at is null`,
])

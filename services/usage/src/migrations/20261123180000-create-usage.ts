import { idempotencyTable, slimIdempotencyIndexes } from '@quittance/runtime/idempotency'
import { dropOutboxTrigger, messagingTables, slimOutboxIndexes } from '@quittance/runtime/outbox'
import { parkedMessagesTable } from '@quittance/runtime/parked-messages'
import { migration } from '@quittance/runtime/schema'

export const createUsage = migration('20261123180000-create-usage', [
  ...messagingTables,
  ...idempotencyTable,
  ...dropOutboxTrigger,
  ...slimOutboxIndexes,
  ...slimIdempotencyIndexes,
  ...parkedMessagesTable,
  // Copies for replies and for ids. The later event wins; a deleted customer keeps no data.
  `create table customers (
    id uuid primary key,
    organization_id uuid not null,
    external_id text,
    document jsonb,
    changed_at timestamptz not null,
    deleted_at timestamptz,
    constraint customers_of_organization unique (id, organization_id),
    constraint customers_deleted_is_empty check ((deleted_at is null) = (document is not null)),
    constraint customers_deleted_without_external_id check (deleted_at is null or external_id is null)
  )`,
  // Not unique: events of two customers may arrive in another order than the id was passed on.
  `create index customers_by_external_id on customers (organization_id, external_id, changed_at) where external_id is not null`,
  // Whom usage belongs to: a customer, or an external id that no customer has yet.
  `create table owners (
    id uuid primary key default gen_random_uuid(),
    organization_id uuid not null,
    customer_id uuid,
    -- Of an owner with a customer: the customer’s; after a deletion the last one.
    external_id text,
    merged_into uuid,
    created_at timestamptz not null default now(),
    constraint owners_of_organization unique (id, organization_id),
    constraint owners_customer foreign key (customer_id, organization_id) references customers (id, organization_id),
    constraint owners_merged foreign key (merged_into, organization_id) references owners (id, organization_id),
    constraint owners_of_somebody check (customer_id is not null or external_id is not null),
    constraint owners_merged_has_customer check (merged_into is null or customer_id is not null)
  )`,
  `create unique index owners_one_per_customer on owners (customer_id) where merged_into is null and customer_id is not null`,
  `create unique index owners_one_open on owners (organization_id, external_id) where customer_id is null`,
  `create index owners_by_customer on owners (customer_id) where customer_id is not null`,
  `create index owners_by_external_id on owners (organization_id, external_id) where external_id is not null`,
  `create table usage_events (
    id uuid not null default gen_random_uuid(),
    position bigint generated always as identity,
    organization_id uuid not null,
    owner_id uuid not null,
    occurred_at timestamptz not null,
    received_at timestamptz not null default now(),
    external_id text,
    name text not null check (length(name) between 1 and 128),
    source text not null check (source in ('user', 'system')),
    metadata jsonb not null check (jsonb_typeof(metadata) = 'object'),
    primary key (id, occurred_at),
    constraint usage_events_owner foreign key (owner_id, organization_id) references owners (id, organization_id)
  ) partition by range (occurred_at)`,
  `create index usage_events_by_organization on usage_events (organization_id, occurred_at, id)`,
  `create index usage_events_by_owner on usage_events (owner_id, occurred_at)`,
  `create index usage_events_by_name on usage_events (organization_id, name, occurred_at)`,
  // Events from before the installation.
  `create table usage_events_default partition of usage_events default`,
  // The service may not create tables: this function does so as their owner. A month that the default partition has events of stays there.
  `create function ensure_usage_partitions(first_at timestamptz, last_at timestamptz) returns integer
  language plpgsql security definer set search_path = public, pg_temp as $$
  declare
    begins timestamp := date_trunc('month', first_at at time zone 'UTC');
    part text;
    has_events boolean;
    created integer := 0;
  begin
    while begins <= last_at at time zone 'UTC' loop
      part := 'usage_events_' || to_char(begins, 'YYYYMM');
      if to_regclass(part) is null then
        select exists (select from usage_events_default
          where occurred_at >= begins at time zone 'UTC' and occurred_at < (begins + interval '1 month') at time zone 'UTC') into has_events;
        if not has_events then
          execute format('create table %I partition of usage_events for values from (%L) to (%L)', part, begins at time zone 'UTC',
            (begins + interval '1 month') at time zone 'UTC');
          created := created + 1;
        end if;
      end if;
      begins := begins + interval '1 month';
    end loop;
    return created;
  end $$`,
  `revoke all on function ensure_usage_partitions from public`,
  `select ensure_usage_partitions(now(), now() + interval '2 months')`,
  // External ids of events: the first 128 bits of their SHA-256.
  `create table event_keys (
    organization_id uuid not null,
    key uuid not null,
    received_at timestamptz not null default now(),
    primary key (organization_id, key)
  )`,
  `create index event_keys_by_age on event_keys using brin (received_at)`,
])

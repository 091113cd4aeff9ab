import { migration } from '@quittance/runtime/schema'

const columns = `organization_id, name, source, (occurred_at at time zone 'UTC')::date as day, count(*) as occurrences,
  min(occurred_at) as first_seen, max(occurred_at) as last_seen`

/**
 * Counts events by day and by name. Every statement that inserts events adds its differences in its own transaction, so the sums are exact in
 * every snapshot and writers do not wait for each other; the job `compact-event-counts` adds them to one row per day and per name. Requests that
 * send events wait while existing ones are counted.
 */
export const countEvents = migration('20261128180000-count-events', [
  `lock table usage_events in share row exclusive mode`,
  `create table event_count_changes (
    id bigint generated always as identity,
    organization_id uuid not null,
    name text not null,
    source text not null,
    day date not null,
    occurrences bigint not null check (occurrences > 0),
    first_seen timestamptz not null,
    last_seen timestamptz not null,
    constraint event_count_changes_pkey primary key (organization_id, id)
  )`,
  `create table event_day_counts (
    organization_id uuid not null,
    day date not null,
    occurrences bigint not null check (occurrences > 0),
    constraint event_day_counts_pkey primary key (organization_id, day)
  )`,
  `create table event_name_counts (
    organization_id uuid not null,
    name text not null,
    source text not null,
    occurrences bigint not null check (occurrences > 0),
    first_seen timestamptz not null,
    last_seen timestamptz not null check (last_seen >= first_seen),
    constraint event_name_counts_pkey primary key (organization_id, name, source)
  )`,
  `create view event_names as
    select organization_id, name, source, occurrences, first_seen, last_seen from event_name_counts
    union all select organization_id, name, source, occurrences, first_seen, last_seen from event_count_changes`,
  // Read by lists; `name` and `source` are those of the kind `name`.
  `create view list_counts as
    select 'usage_events' as list, 'all' as kind, organization_id, null::date as day, null as name, null as source, occurrences as delta
      from event_day_counts
    union all select 'usage_events', 'all', organization_id, null, null, null, occurrences from event_count_changes
    union all select 'usage_events', 'day', organization_id, day, null, null, occurrences from event_day_counts
    union all select 'usage_events', 'day', organization_id, day, null, null, occurrences from event_count_changes
    union all select 'usage_events', 'name', organization_id, null, name, source, occurrences from event_names`,
  `create function count_events() returns trigger language plpgsql as $$ begin
    insert into event_count_changes (organization_id, name, source, day, occurrences, first_seen, last_seen)
      select ${columns} from added group by 1, 2, 3, 4;
    return null;
  end $$`,
  `create trigger count_inserted after insert on usage_events referencing new table as added for each statement execute function count_events()`,
  `insert into event_count_changes (organization_id, name, source, day, occurrences, first_seen, last_seen)
    select ${columns} from usage_events group by 1, 2, 3, 4`,
])

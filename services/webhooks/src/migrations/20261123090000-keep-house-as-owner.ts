import { migration } from '@quittance/runtime/schema'

const parents = `'webhook_events', 'webhook_deliveries', 'webhook_attempts'`

const assertKnownParent = `if parent not in (${parents}) then
      raise exception '% is not kept in periods', parent using errcode = 'insufficient_privilege';
    end if;`

/**
 * The service's role may not create or drop tables. These two functions run as their owner and do so only for the three partitioned tables.
 */
export const maintainPartitionsAsOwner = migration('20261123090000-keep-house-as-owner', [
  `create or replace function ensure_webhook_partitions(parent text, days integer, first_at timestamptz, last_at timestamptz) returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
  declare
    seconds constant bigint := days * 86400;
    begins timestamptz;
    part text;
  begin
    ${assertKnownParent}
    for period in floor(extract(epoch from first_at) / seconds)::bigint .. floor(extract(epoch from last_at) / seconds)::bigint loop
      begins := to_timestamp(period * seconds);
      part := parent || '_' || to_char(begins at time zone 'UTC', 'YYYYMMDD');
      if to_regclass(part) is null then
        execute format('create table %I partition of %I for values from (%L) to (%L)', part, parent, begins, to_timestamp((period + 1) * seconds));
      end if;
    end loop;
  end $$`,
  `create or replace function drop_webhook_partitions(parent text, days integer, kept interval, column_name text) returns integer
  language plpgsql security definer set search_path = public, pg_temp as $$
  declare
    part record;
    dropped integer := 0;
  begin
    ${assertKnownParent}
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
  `revoke all on function ensure_webhook_partitions, drop_webhook_partitions from public`,
])

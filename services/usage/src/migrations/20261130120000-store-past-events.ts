import { migration } from '@quittance/runtime/schema'

/** The start of the first month that has a partition. */
const firstMonth = `(select min(to_timestamp(substring(relname from '\\d{6}$') || ' UTC', 'YYYYMM TZ'))
  from pg_inherits join pg_class on oid = inhrelid where inhparent = 'usage_events'::regclass and relname ~ '^usage_events_\\d{6}$')`

/**
 * Events from before the first month get a partition instead of the default one, which PostgreSQL reads under an exclusive lock whenever a month is
 * created. Three migrations, so that requests which send events wait for none of the reads. If the default partition also has events of later
 * months, because partitions were not created for months, all stay where they are.
 */
export const boundPastEvents = migration('20261130120000-bound-past-events', [
  `do $$
  declare first_month timestamptz := ${firstMonth};
  begin
    if exists (select from usage_events_default where occurred_at >= first_month) then return; end if;
    execute format('alter table usage_events_default add constraint usage_events_past_bound check (occurred_at < %L) not valid', first_month);
  end $$`,
])

const ifBound = (statements: string) => `
  do $$ begin
    if exists (select from pg_constraint where conrelid = 'usage_events_default'::regclass and conname = 'usage_events_past_bound') then
      ${statements}
    end if;
  end $$`

export const checkPastEvents = migration('20261130120001-check-past-events', [
  ifBound('alter table usage_events_default validate constraint usage_events_past_bound;'),
])

/** The checked constraint spares reading the events while the table is locked. */
export const storePastEvents = migration('20261130120002-store-past-events', [
  ifBound(`
      alter table usage_events detach partition usage_events_default;
      alter table usage_events_default rename to usage_events_past;
      alter index usage_events_default_pkey rename to usage_events_past_pkey;
      alter index usage_events_default_organization_id_occurred_at_id_idx rename to usage_events_past_organization_id_occurred_at_id_idx;
      alter index usage_events_default_owner_id_occurred_at_idx rename to usage_events_past_owner_id_occurred_at_idx;
      alter index usage_events_default_organization_id_name_occurred_at_idx rename to usage_events_past_organization_id_name_occurred_at_idx;
      execute format('alter table usage_events attach partition usage_events_past for values from (minvalue) to (%L)', ${firstMonth});
      alter table usage_events_past drop constraint usage_events_past_bound;
      create table usage_events_default partition of usage_events default;`),
])

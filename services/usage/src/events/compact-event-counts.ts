import { job } from '@quittance/runtime/handler'

/** Changes of one run. */
const batch = 10_000

/** Key of the advisory lock under which changes are added up; any constant, the same for every replica. */
const compactionLock = 7_201_123

/** Concurrent readers see either the changes or the sums that have them, never both. */
const compactSql = `
  with lock as materialized (select pg_try_advisory_xact_lock(${compactionLock}) as is_held),
  chosen as materialized (select ctid from event_count_changes where (select is_held from lock) limit ${batch}),
  changes as (delete from event_count_changes c using chosen where c.ctid = chosen.ctid returning c.*),
  days as (
    insert into event_day_counts as d (organization_id, day, occurrences)
    select organization_id, day, sum(occurrences) from changes group by organization_id, day
    on conflict (organization_id, day) do update set occurrences = d.occurrences + excluded.occurrences),
  names as (
    insert into event_name_counts as n (organization_id, name, source, occurrences, first_seen, last_seen)
    select organization_id, name, source, sum(occurrences), min(first_seen), max(last_seen) from changes group by organization_id, name, source
    on conflict (organization_id, name, source) do update set occurrences = n.occurrences + excluded.occurrences,
      first_seen = least(n.first_seen, excluded.first_seen), last_seen = greatest(n.last_seen, excluded.last_seen))
  select count(*)::int as taken from changes`

/** Adds the counts of new events to those by day and by name, on one replica at a time. */
export const compactEventCounts = job({
  name: 'compact-event-counts',
  everyMs: 10_000,
  async run({ systemSql }) {
    const [done] = await systemSql<{ taken: number }>('event-counts.compact', compactSql)
    return done?.taken === batch
  },
})

/** Rows of a table that a job claims once they are due. */
export interface DueRows {
  table: string
  /** Time from which a row is due. */
  dueColumn: string
  /** Condition of the index on organization and time, which contains the rows that wait. */
  isWaiting: string
  /** Whether a row can be claimed now. */
  isFree: string
  /** Number or parameter: how many rows one claim takes. */
  limit: string
  /** Returns SQL of the time at which a row of an organization must be due, the time of its clock for example. Default: now. */
  dueUntil?: (organization: string) => string
}

/** Organizations that one claim looks at: its cost is bounded, however many organizations have rows that wait. */
const maxOrganizations = 500

/** Due rows of one organization, and of all together, that one claim looks at: those that are not free are passed over at a cost. */
const maxRows = 1_000

/**
 * Returns SQL that locks the due rows of the next claim. If more are due than it takes, the organizations share them. It walks the organizations
 * with waiting rows in the order of their ids, from a random one on, by one entry of the index for each; those with a due row get equal shares.
 * What is left over goes to the rows that are due longest. Rows behind 1,000 of their organization that are due and not free wait for those.
 */
export function selectInTurn({ table, dueColumn, isWaiting, isFree, limit, dueUntil = () => 'now()' }: DueRows): string {
  const isDue = `${isWaiting} and ${isFree}`
  const isPast = `${dueColumn} <= ${dueUntil(`${table}.organization_id`)}`
  // Not `=`: with it the order would be that of the index on the time alone, which would read the rows of all organizations. `between` lets the
  // planner expect a two-hundredth of the rows; of the comparison of both columns alone it expects a ninth, and reads whole tables by other indexes.
  const upTo = (organization: string, end: string) => `
    organization_id between ${organization} and ${organization} and (organization_id, ${dueColumn}) <= (${organization}, ${end})
    order by organization_id, ${dueColumn}`
  const dueOfOrganization = (organization: string, until: string) => `${isDue} and ${upTo(organization, until)}`
  // `offset 0` keeps the subquery `seen` separate: a condition with a subquery in it does not bound the scan of an index.
  return `
  with recursive walk (organization_id, is_second_round, start, step) as (
    select random.start, false, random.start, 0 from (select gen_random_uuid() as start offset 0) random
    where (select count(*) from (select from ${table} where ${isWaiting} and ${isPast} limit ${limit} + 1) due) > ${limit}
    union all
    select coalesce(n.organization_id, '00000000-0000-0000-0000-000000000000'), w.is_second_round or n.organization_id is null, w.start, w.step + 1
    from walk w left join lateral (
      select organization_id from ${table} where ${isWaiting} and organization_id > w.organization_id
      order by organization_id limit 1) n on true
    where w.step < ${maxOrganizations} and (not w.is_second_round or n.organization_id <= w.start)),
  sharing as materialized (
    select w.organization_id, seen.until from walk w
    cross join lateral (
      select coalesce((
          select ${dueColumn} from ${table} where ${isWaiting} and ${upTo('w.organization_id', dueUntil('w.organization_id'))}
          offset ${maxRows} limit 1),
        ${dueUntil('w.organization_id')}) as until offset 0) seen
    cross join lateral (select from ${table} where ${dueOfOrganization('w.organization_id', 'seen.until')} limit 1) due
    limit ${limit}),
  in_turn as materialized (
    select due.id from sharing s cross join lateral (
      select id from ${table} where ${dueOfOrganization('s.organization_id', 's.until')}
      limit (select ceil(${limit}::numeric / count(*)) from sharing) for update skip locked) due
    limit ${limit}),
  longest as materialized (
    select id from ${table}
    where ${isDue} and ${isPast} and id <> all (array(select id from in_turn))
      and ${dueColumn} <= coalesce((
        select ${dueColumn} from ${table} where ${isWaiting} and ${isPast} order by ${dueColumn} offset ${maxRows} limit 1), 'infinity')
    order by ${dueColumn} limit ${limit} - (select count(*) from in_turn) for update skip locked)
  select id from in_turn union all select id from longest`
}

import { job } from '../handlers/handler.ts'

/**
 * Row counts of lists by organization: total, by day and by product. Every statement that inserts, deletes or moves rows adds its
 * differences in its own transaction, so the sum is exact in every snapshot and writers do not wait for each other. Part of a migration.
 */
export const listCountsTable = [
  `create table list_counts (
    id bigint generated always as identity primary key,
    list text not null,
    kind text not null check (kind in ('all', 'day', 'product')),
    organization_id uuid not null,
    product_id uuid,
    day date,
    delta bigint not null,
    is_folded boolean not null default false,
    constraint list_counts_by_kind check ((kind = 'product') = (product_id is not null) and (kind = 'day') = (day is not null))
  )`,
  `create index list_counts_by_list on list_counts (organization_id, list, kind, product_id, day) include (delta)`,
  `create index list_counts_to_fold on list_counts (id) where not is_folded`,
]

/** A table whose rows a list shows, with `organization_id` and, if products are counted, `product_id`. */
export interface CountedTable {
  list: string
  /** Timestamp column by whose days rows are counted; not null in visible rows. */
  time: string
  products?: boolean
  /** Condition for rows visible in the list; begins with the only column it uses. */
  visibleWhen?: string
}

/**
 * Returns the statements that count a table, including its existing rows. Its writers wait until the migration ends, so no change is
 * missed.
 */
export function countListRows(table: CountedTable): string[] {
  const { list } = table
  const add = (rows: string, delta: string) => addTotals(table, { target: 'list_counts', rows, delta })
  const moved = (row: 'old' | 'new', by: number) => selectVisible(table, `(select ${row}.*) m`, `, ${by} as by`)
  return [
    `create function count_${list}() returns trigger language plpgsql as $$ begin
    ${add(selectVisible(table, 'changed'), `case tg_op when 'DELETE' then -count(*) else count(*) end`)};
    return null;
  end $$`,
    `create function count_moved_${list}() returns trigger language plpgsql as $$ begin
    ${add(`${moved('old', -1)} union all ${moved('new', 1)}`, 'sum(by)')} having sum(by) <> 0;
    return null;
  end $$`,
    `create trigger count_inserted after insert on ${list} referencing new table as changed for each statement execute function count_${list}()`,
    ...createChangeTriggers(table),
    add(selectVisible(table, list), 'count(*)'),
  ]
}

/** Selects organization, product and day of the visible rows. */
function selectVisible({ time, products = false, visibleWhen = 'true' }: CountedTable, rows: string, more = ''): string {
  return `select organization_id, ${products ? 'product_id, ' : ''}(${time} at time zone 'UTC')::date as day${more} from ${rows} where ${visibleWhen}`
}

interface Totals {
  target: 'list_counts' | 'list_totals'
  /** SQL of the rows to count, with organization, product and day. */
  rows: string
  delta: string
}

function addTotals({ list, products = false }: CountedTable, { target, rows, delta }: Totals): string {
  const sets = `(organization_id), (organization_id, day)${products ? ', (organization_id, product_id)' : ''}`
  const kind = products
    ? `case grouping(product_id, day) when 3 then 'all' when 2 then 'day' else 'product' end`
    : `case grouping(day) when 1 then 'all' else 'day' end`
  return `insert into ${target} (list, kind, organization_id, product_id, day, delta)
    select '${list}', ${kind}, organization_id, ${products ? 'product_id' : 'null'}, day, ${delta} from (${rows}) r group by grouping sets (${sets})`
}

function createChangeTriggers({ list, time, products = false, visibleWhen = 'true' }: CountedTable): string[] {
  const parts = (row: 'old' | 'new') =>
    `${row}.organization_id, ${products ? `${row}.product_id, ` : ''}${row}.${time}, (${qualifyCondition(visibleWhen, row)})`
  return [
    `create trigger count_deleted after delete on ${list} referencing old table as changed for each statement execute function count_${list}()`,
    `create trigger count_moved after update on ${list} for each row when ((${parts('old')}) is distinct from (${parts('new')}))
    execute function count_moved_${list}()`,
  ]
}

/**
 * Replaces `list_counts` by a view of `list_totals`, maintained by the job below, and `list_changes`, to which a changed row adds one row
 * instead of one per counter. Part of a migration, after `countListRows` of every table; waits for writers.
 */
export function trackListChanges(tables: readonly CountedTable[]): string[] {
  return [
    `lock table ${tables.map(({ list }) => list).join(', ')} in share row exclusive mode`,
    `alter table list_counts rename to list_totals`,
    `drop index list_counts_to_fold`,
    `alter table list_totals drop column is_folded`,
    `alter table list_totals rename constraint list_counts_pkey to list_totals_pkey`,
    `alter table list_totals rename constraint list_counts_by_kind to list_totals_by_kind`,
    `alter table list_totals rename constraint list_counts_kind_check to list_totals_kind_check`,
    `alter index list_counts_by_list rename to list_totals_by_list`,
    `create table list_changes (
      id bigint generated always as identity,
      list text not null,
      organization_id uuid not null,
      product_id uuid,
      day date not null,
      delta bigint not null,
      constraint list_changes_pkey primary key (organization_id, list, id)
    )`,
    `create view list_counts as
      select list, kind, organization_id, product_id, day, delta from list_totals
      union all select list, 'all', organization_id, null, null, delta from list_changes
      union all select list, 'day', organization_id, null, day, delta from list_changes
      union all select list, 'product', organization_id, product_id, null, delta from list_changes where product_id is not null`,
    ...tables.flatMap((table) => {
      const { insertion, trigger, changes } = recordChanges(table)
      return [insertion, `drop trigger count_inserted on ${table.list}`, trigger, ...changes]
    }),
  ]
}

/**
 * Returns the statements that count one more table after `trackListChanges`, including its existing rows. Its writers wait until the
 * migration ends, so no change is missed. Part of a migration.
 */
export function countAnotherList(table: CountedTable): string[] {
  const { list } = table
  const { insertion, trigger, changes } = recordChanges(table)
  return [
    `lock table ${list} in share row exclusive mode`,
    insertion,
    trigger,
    ...changes,
    ...createChangeTriggers(table),
    addTotals(table, { target: 'list_totals', rows: selectVisible(table, list), delta: 'count(*)' }),
  ]
}

/** Functions that add a row to `list_changes`, and the trigger of inserted rows. */
function recordChanges({ list, time, products = false, visibleWhen = 'true' }: CountedTable) {
  const day = (row: string) => `(${row}.${time} at time zone 'UTC')::date`
  const product = (row: string) => (products ? `${row}.product_id` : 'null::uuid')
  const add = `insert into list_changes (list, organization_id, product_id, day, delta)`
  const moved = (row: 'old' | 'new', by: number) =>
    `select '${list}', ${row}.organization_id, ${product(row)}, ${day(row)}, ${by} where ${qualifyCondition(visibleWhen, row)}`
  const body = (statement: string) => `language plpgsql as $$ begin ${statement}; return null; end $$`
  return {
    insertion: `create function count_inserted_${list}() returns trigger
      ${body(`${add} values ('${list}', new.organization_id, ${product('new')}, ${day('new')}, 1)`)}`,
    trigger: `create trigger count_inserted after insert on ${list} for each row when (${qualifyCondition(visibleWhen, 'new')}) execute function count_inserted_${list}()`,
    changes: [
      `create or replace function count_${list}() returns trigger
      ${body(`${add} select '${list}', c.organization_id, ${product('c')}, ${day('c')}, -count(*) from changed c where ${qualifyCondition(visibleWhen, 'c')} group by 2, 3, 4`)}`,
      `create or replace function count_moved_${list}() returns trigger ${body(`${add} ${moved('old', -1)} union all ${moved('new', 1)}`)}`,
    ],
  }
}

/** Qualifies the column of a condition with a row alias. */
function qualifyCondition(condition: string, row: string): string {
  return condition === 'true' ? condition : `${row}.${condition}`
}

const maxChangesPerRun = 10_000

/** Key of the advisory lock under which counters are compacted; any constant, the same for every replica. */
const compactionLock = 7_201_122

/** Compacts the changes to one row per counter. Concurrent readers see either the rows before or the one after, never both. */
const compactSql = `
  with lock as materialized (select pg_try_advisory_xact_lock(${compactionLock}) as is_held),
  chosen as materialized (select ctid from list_changes where (select is_held from lock) limit ${maxChangesPerRun}),
  changes as (delete from list_changes c using chosen where c.ctid = chosen.ctid returning c.*),
  fresh as (
    select list, case grouping(product_id, day) when 3 then 'all' when 2 then 'day' else 'product' end as kind, organization_id, product_id, day,
      sum(delta) as delta
    from changes group by grouping sets ((list, organization_id), (list, organization_id, day), (list, organization_id, product_id))),
  counted as (select * from fresh where (kind = 'product') = (product_id is not null)),
  known as (
    delete from list_totals t using counted c
    where t.organization_id = c.organization_id and t.list = c.list and t.kind = c.kind
      and t.product_id is not distinct from c.product_id and t.day is not distinct from c.day
    returning t.list, t.kind, t.organization_id, t.product_id, t.day, t.delta),
  stored as (
    insert into list_totals (list, kind, organization_id, product_id, day, delta)
    select list, kind, organization_id, product_id, day, sum(delta) from (select * from counted union all select * from known) c
    group by list, kind, organization_id, product_id, day having sum(delta) <> 0)
  select count(*) as taken from changes`

/**
 * Adds up the differences, on one replica at a time. If one run starts while another ends, a counter may have two rows: their sum is
 * correct.
 */
export const compactListCounts = job({
  name: 'compact-list-counts',
  everyMs: 10_000,
  async run({ systemSql }) {
    const [done] = await systemSql<{ taken: string }>('list-counts.compact', compactSql)
    return Number(done?.taken) === maxChangesPerRun
  },
})

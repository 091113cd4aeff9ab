import { job } from './handler.ts'

/**
 * How many rows lists have, by organization: in all, by day and by product. Every statement that makes, removes or moves rows adds its
 * differences in its own transaction, so the sum is exact in every snapshot and no two writers wait for each other. Part of a migration.
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

/** A table whose rows a list shows, with `organization_id` and, where products are counted, `product_id`. */
export interface CountedTable {
  list: string
  /** Column whose days are counted; not null in rows that are shown. */
  time: string
  products?: boolean
  /** Condition of rows that the list shows; begins with its one column. */
  shown?: string
}

/** Statements that count a table from here on, and what is in it. Its writers wait until the migration is over: nothing is missed. */
export function countList({ list, time, products = false, shown = 'true' }: CountedTable): string[] {
  const columns = `organization_id, ${products ? 'product_id, ' : ''}(${time} at time zone 'UTC')::date as day`
  const sets = `(organization_id), (organization_id, day)${products ? ', (organization_id, product_id)' : ''}`
  const kind = products
    ? `case grouping(product_id, day) when 3 then 'all' when 2 then 'day' else 'product' end`
    : `case grouping(day) when 1 then 'all' else 'day' end`
  const add = (rows: string, delta: string) => `insert into list_counts (list, kind, organization_id, product_id, day, delta)
    select '${list}', ${kind}, organization_id, ${products ? 'product_id' : 'null'}, day, ${delta} from (${rows}) r group by grouping sets (${sets})`
  const moved = (row: 'old' | 'new', by: number) => `select ${columns}, ${by} as by from (select ${row}.*) m where ${shown}`
  const parts = (row: 'old' | 'new') =>
    `${row}.organization_id, ${products ? `${row}.product_id, ` : ''}${row}.${time}, (${shownOf(shown, row)})`
  return [
    `create function count_${list}() returns trigger language plpgsql as $$ begin
    ${add(`select ${columns} from changed where ${shown}`, `case tg_op when 'DELETE' then -count(*) else count(*) end`)};
    return null;
  end $$`,
    `create function count_moved_${list}() returns trigger language plpgsql as $$ begin
    ${add(`${moved('old', -1)} union all ${moved('new', 1)}`, 'sum(by)')} having sum(by) <> 0;
    return null;
  end $$`,
    `create trigger count_inserted after insert on ${list} referencing new table as changed for each statement execute function count_${list}()`,
    `create trigger count_deleted after delete on ${list} referencing old table as changed for each statement execute function count_${list}()`,
    `create trigger count_moved after update on ${list} for each row when ((${parts('old')}) is distinct from (${parts('new')}))
    execute function count_moved_${list}()`,
    add(`select ${columns} from ${list} where ${shown}`, 'count(*)'),
  ]
}

/**
 * `list_counts` is a view from here on: of `list_totals`, which the job below keeps, and of `list_changes`, of which a changed row writes
 * one instead of one for each of its counters. Part of a migration, after `countList` of every table, which it waits for.
 */
export function countChanges(tables: readonly CountedTable[]): string[] {
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
    ...tables.flatMap(changesOf),
  ]
}

function changesOf({ list, time, products = false, shown = 'true' }: CountedTable): string[] {
  const day = (row: string) => `(${row}.${time} at time zone 'UTC')::date`
  const product = (row: string) => (products ? `${row}.product_id` : 'null::uuid')
  const add = `insert into list_changes (list, organization_id, product_id, day, delta)`
  const moved = (row: 'old' | 'new', by: number) =>
    `select '${list}', ${row}.organization_id, ${product(row)}, ${day(row)}, ${by} where ${shownOf(shown, row)}`
  const body = (statement: string) => `language plpgsql as $$ begin ${statement}; return null; end $$`
  return [
    `create function count_inserted_${list}() returns trigger
      ${body(`${add} values ('${list}', new.organization_id, ${product('new')}, ${day('new')}, 1)`)}`,
    `drop trigger count_inserted on ${list}`,
    `create trigger count_inserted after insert on ${list} for each row when (${shownOf(shown, 'new')}) execute function count_inserted_${list}()`,
    `create or replace function count_${list}() returns trigger
      ${body(`${add} select '${list}', c.organization_id, ${product('c')}, ${day('c')}, -count(*) from changed c where ${shownOf(shown, 'c')} group by 2, 3, 4`)}`,
    `create or replace function count_moved_${list}() returns trigger ${body(`${add} ${moved('old', -1)} union all ${moved('new', 1)}`)}`,
  ]
}

/** A condition on columns of a row, told of one row. */
function shownOf(condition: string, row: string): string {
  return condition === 'true' ? condition : `${row}.${condition}`
}

const most = 10_000

/** Key of the advisory lock under which counters are folded; any constant, the same for every replica. */
const foldLock = 7_201_122

/** One row per counter again. Whoever reads meanwhile sees the rows before or the one after, never both. */
const fold = `
  with turn as materialized (select pg_try_advisory_xact_lock(${foldLock}) as is_mine),
  chosen as materialized (select ctid from list_changes where (select is_mine from turn) limit ${most}),
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
  folded as (
    insert into list_totals (list, kind, organization_id, product_id, day, delta)
    select list, kind, organization_id, product_id, day, sum(delta) from (select * from counted union all select * from known) c
    group by list, kind, organization_id, product_id, day having sum(delta) <> 0)
  select count(*) as taken from changes`

/** Adds differences up, one replica at a time. One that begins while another ends may leave two rows of a counter: their sum is right. */
export const foldListCounts = job({
  name: 'fold-list-counts',
  everyMs: 10_000,
  async run({ rows }) {
    const [done] = await rows<{ taken: string }>('list-counts.fold', fold)
    return Number(done?.taken) === most
  },
})

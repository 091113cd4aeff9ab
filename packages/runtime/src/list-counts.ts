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

/** A condition on columns of a row, told of the row before or after a change. */
function shownOf(condition: string, row: 'old' | 'new'): string {
  return condition === 'true' ? condition : `${row}.${condition}`
}

const most = 10_000

/** Key of the advisory lock under which counters are folded; any constant, the same for every replica. */
const foldLock = 7_201_122

/** One row per counter again. Whoever reads meanwhile sees the rows before or the one after, never both. */
const fold = `
  with turn as materialized (select pg_try_advisory_xact_lock(${foldLock}) as is_mine),
  chosen as (select id from list_counts where not is_folded and (select is_mine from turn) order by id limit ${most} for update skip locked),
  fresh as (delete from list_counts c using chosen where c.id = chosen.id returning c.*),
  known as (
    delete from list_counts c using (select distinct list, kind, organization_id, product_id, day from fresh) k
    where c.is_folded and c.organization_id = k.organization_id and c.list = k.list and c.kind = k.kind
      and c.product_id is not distinct from k.product_id and c.day is not distinct from k.day
    returning c.*),
  folded as (
    insert into list_counts (list, kind, organization_id, product_id, day, delta, is_folded)
    select list, kind, organization_id, product_id, day, sum(delta), true from (select * from fresh union all select * from known) c
    group by list, kind, organization_id, product_id, day having sum(delta) <> 0)
  select count(*) as taken from fresh`

/** Adds differences up, one replica at a time. One that begins while another ends may leave two rows of a counter: their sum is right. */
export const foldListCounts = job({
  name: 'fold-list-counts',
  everyMs: 10_000,
  async run({ rows }) {
    const [done] = await rows<{ taken: string }>('list-counts.fold', fold)
    return Number(done?.taken) === most
  },
})

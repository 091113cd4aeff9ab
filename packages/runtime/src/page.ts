import type { Order, Reference, Term, View } from './view.ts'

/** Rows skipped from which on a page is sought by the counts of days instead of by walking over what is before it. */
export const seekFrom = 1_000

export interface PageRows {
  view: View<unknown>
  /** Ties rows to the caller. */
  binding: string
  /** The caller has several organizations (or none), in the parameter `organizations`. */
  isAcross: boolean
  where: string
  /** Names of the filters in `where`; undefined where it was written by hand, or ties rows to a customer. */
  given: readonly string[] | undefined
  order: Order
  page: number
  limit: number
}

interface Cut {
  limit: string
  skip: string
}

/**
 * SQL of a page and its count, in one snapshot. Keys are cut first, from the narrowest index there is; columns are read of the page's own
 * rows. A first page has its limit in the text, so that one plan is right for every caller.
 */
export function pageSql(asked: PageRows): string {
  const { view, binding, where, order, page, limit } = asked
  const count = countSql(asked)
  const cut = page === 1 ? { limit: String(limit), skip: '0' } : { limit: ':limit::bigint', skip: ':offset::bigint' }
  if (!view.key) {
    const source = `${view.from} ${joinsFor(view, where, orderSql(order))} ${view.details ?? ''}`
    const rows = `select ${view.columns} from ${source} where ${binding} and (${where}) order by ${orderSql(order)}`
    return reply(count, `${rows} limit ${cut.limit} offset ${cut.skip}`)
  }
  const seek = (page - 1) * limit >= seekFrom ? seekSql(asked) : null
  const keys = seek ? keysSql({ ...asked, where: seek.where }, { ...cut, skip: seek.skip }) : keysSql(asked, cut)
  const rows = `select ${view.columns} from ${view.from} ${view.details ?? ''}, unnest(${keys}) with ordinality as page (key, position)
    where ${view.key} = page.key order by page.position`
  return `${seek ? `with seek as materialized (${seek.sql}) ` : ''}${reply(count, rows)}`
}

function reply(count: string, rows: string): string {
  return `select (${count}) as total_count, (select json_agg(row_to_json(v))::text from (${rows}) v) as items`
}

function orderSql(order: Order): string {
  return order.map(({ by, descending, absent }) => `${by} ${descending ? 'desc' : 'asc'}${absent ? ' nulls last' : ''}`).join(', ')
}

/** References that a text names. Joining others would keep PostgreSQL from reading an index alone. */
function named(view: View<unknown>, text: string): [alias: string, Reference][] {
  const words = new Set(text.match(/\w+(?=\.)/g))
  return Object.entries(view.references ?? {}).filter(([alias]) => words.has(alias))
}

/** Joins of the references that conditions and orders name. */
export function joinsFor(view: View<unknown>, ...texts: string[]): string {
  const joins = named(view, texts.join(' ')).map(
    ([alias, { table, of, key = 'id', only = 'true' }]) =>
      `left join ${table} ${alias} on ${alias}.${key} = ${of} and ${alias}.organization_id = ${view.organization} and ${only}`,
  )
  return joins.join(' ')
}

/**
 * The keys of a page, in order. Where the first column may be null, rows with a value are one list and those without another: an index has
 * nulls on the wrong side in one of the directions, and none holds what an outer join leaves empty.
 */
function keysSql(rows: PageRows, { limit, skip }: Cut): string {
  const [{ absent, ...first }, ...rest] = rows.order as [Term, ...Term[]]
  if (!absent) return `array(${chosen(rows, { limit, skip })})`
  const until = `${skip} + ${limit}`
  const having = (condition: string, order: Order) => ({ ...rows, where: `(${rows.where}) and (${condition})`, order })
  const present = throughOther(rows) ? { ...rows, order: [first, ...rest] } : having(`${first.by} is not null`, [first, ...rest])
  const keys = `array(${chosen(present, { limit: until, skip: '0' })})`
  const others = chosen(having(absent, rest), { limit: `greatest(0, ${until} - cardinality(present.keys))`, skip: '0' })
  return `(select (present.keys || array(${others}))[${subscript(`${skip} + 1`)} : ${subscript(until)}] from (select ${keys} as keys offset 0) present)`
}

/** Keys in an order, each from the index that has it. */
function chosen(rows: PageRows, cut: Cut): string {
  const { view, binding, where, order, isAcross } = rows
  const other = throughOther(rows)
  if (other) return chosenThrough(rows, { ...cut, ...other })
  if (isAcross && view.organization !== null) return chosenAcross(rows, cut)
  const joins = joinsFor(view, where, orderSql(order))
  return `select ${view.key} from ${view.from} ${joins} where ${binding} and (${where})${innerJoin(rows)} order by ${orderSql(order)}
    limit ${cut.limit} offset ${cut.skip}`
}

/** The catalogue that the whole list is in the order of. With filters there may be few rows for all there is in it. */
function throughOther(rows: PageRows): { alias: string; reference: Reference } | null {
  const [other] = named(rows.view, rows.order[0]?.by ?? '')
  return other?.[1].isCatalogue && isWhole(rows) ? { alias: other[0], reference: other[1] } : null
}

/** Says that the other table's row is there, which it is: PostgreSQL may then begin with that table, in its order. */
function innerJoin({ view, order: [first] }: PageRows): string {
  return first && !first.absent && named(view, first.by).length > 0 ? ` and ${first.by} is not null` : ''
}

/** An array is counted in integers, and no page holds a row that far behind. */
function subscript(position: string): string {
  return `least(${position}, 2147483647)::integer`
}

/** Across organizations each gives its own first rows from its index, and these are merged. */
function chosenAcross(rows: PageRows, { limit, skip }: Cut): string {
  const { view, where, order } = rows
  return `select own.key from unnest(:organizations::uuid[]) as asked (organization_id), lateral (
      select ${view.key} as key, ${columnsOf(order)} from ${view.from} ${joinsFor(view, where, orderSql(order))}
      where ${view.organization} = asked.organization_id and (${where})${innerJoin(rows)}
      order by ${orderSql(order)} limit ${limit} + ${skip}) own
    order by ${mergedBy(order)} limit ${limit} offset ${skip}`
}

/** The whole list in an order of another table: that table's rows in order, and of each the first rows that refer to it. */
function chosenThrough(rows: PageRows, { alias, reference, limit, skip }: Cut & { alias: string; reference: Reference }): string {
  const { view, binding, where, order } = rows
  const [first, ...rest] = order as [Term, ...Term[]]
  const { table, of, key = 'id', only = 'true' } = reference
  const organization = `${alias}.organization_id`
  return `select own.key from (
      select ${alias}.${key} as key, ${organization}, ${first.by} as by_0 from ${table} ${alias}
      where ${binding.replace(String(view.organization), organization)} and ${first.by} is not null and ${only}) other, lateral (
      select ${view.key} as key, ${columnsOf(rest, 1)} from ${view.from} ${joinsFor(view, where, orderSql(rest))}
      where ${view.organization} = other.organization_id and ${of} = other.key and (${where})
      order by ${orderSql(rest)} limit ${limit} + ${skip}) own
    order by other.by_0 ${first.descending ? 'desc' : 'asc'}, ${mergedBy(rest, 1)} limit ${limit} offset ${skip}`
}

const columnsOf = (order: Order, from = 0) => order.map(({ by }, index) => `${by} as by_${index + from}`).join(', ')
const mergedBy = (order: Order, from = 0) => orderSql(order.map((term, index) => ({ ...term, by: `own.by_${index + from}` })))

/** No filter but the organization: whatever is read in order belongs to the page. */
const isWhole = ({ given }: PageRows) => given?.every((name) => name === 'organization_id') ?? false

const aliasOf = ({ key }: View<unknown>) => key?.split('.')[0]

/** Counters where they know the filters, otherwise a count of the rows. */
function countSql(rows: PageRows): string {
  const { view, binding, where } = rows
  const kind = countedKind(rows)
  return kind
    ? `select coalesce(sum(${aliasOf(view)}.delta), 0) from ${countersSql(view, kind, where)} and ${binding} and (${where})`
    : `select count(*) from ${view.from} ${joinsFor(view, where)} where ${binding} and (${where})`
}

/** Which counters of a list answer for these filters; null for none. */
function countedKind(rows: PageRows): 'all' | 'product' | null {
  const { counted } = rows.view
  if (!counted || !rows.given) return null
  if (isWhole(rows)) return 'all'
  return rows.given.every((name) => name === 'organization_id' || counted.productFilters?.includes(name)) ? 'product' : null
}

/** Rows of counters under the alias of the view: its binding and its filters read them as they are. */
function countersSql(view: View<unknown>, kind: 'all' | 'product' | 'day', filters: string): string {
  const alias = aliasOf(view)
  return `list_counts ${alias} ${joinsFor(view, filters)} where ${alias}.list = '${view.counted?.list}' and ${alias}.kind = '${kind}'`
}

/**
 * Where a deep page of the whole list begins when it is in the order of time: the day it falls on, and how many rows are on the days before
 * it. Only rows of that day are walked over. Exact, because the counts are of the same snapshot as the rows.
 */
function seekSql(rows: PageRows): { sql: string; where: string; skip: string } | null {
  const { view, binding, where, order } = rows
  const [first] = order
  if (!first || first.by !== view.counted?.time || countedKind(rows) !== 'all') return null
  const alias = aliasOf(view)
  const direction = first.descending ? 'desc' : 'asc'
  return {
    sql: `select ahead, (day ${first.descending ? '+ 1' : ''})::timestamp at time zone 'UTC' as edge
      from (select day, (sum(rows) over (order by day ${direction}) - rows)::bigint as ahead
        from (select ${alias}.day, sum(${alias}.delta) as rows from ${countersSql(view, 'day', where)} and ${binding} and (${where})
          group by ${alias}.day) days) reached
      where ahead <= :offset::bigint order by ahead desc, day limit 1`,
    where: `(${where}) and ${first.by} ${first.descending ? '<' : '>='} (select edge from seek)`,
    skip: '(:offset::bigint - (select ahead from seek))',
  }
}

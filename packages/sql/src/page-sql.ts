import type { SortOrder, Lookup, SortTerm, View } from './view.ts'

/** Offset in rows from which a page is found by the day counters instead of skipping all rows before it. */
export const seekThreshold = 1_000

export interface PageSpec {
  view: View<unknown>
  /** Condition that limits rows to the caller's scope. */
  scopeCondition: string
  /** Whether the caller has several organizations (or none), in the parameter `organizations`. */
  isMultiOrganization: boolean
  where: string
  /** Names of the filters in `where`; undefined if it was written by hand, or limits rows to a customer. */
  filterNames: readonly string[] | undefined
  order: SortOrder
  page: number
  limit: number
}

interface Cut {
  limit: string
  skip: string
}

/**
 * Builds the SQL of a page and its count, in one snapshot. Keys are selected first, from the narrowest index; columns are read only for the
 * rows of the page. A first page has its limit in the text, so that one plan suits every caller.
 */
export function buildPageSql(spec: PageSpec): string {
  const { view, scopeCondition, where, order, page, limit } = spec
  const count = countSql(spec)
  const cut = page === 1 ? { limit: String(limit), skip: '0' } : { limit: ':limit::bigint', skip: ':offset::bigint' }
  if (!view.key) {
    const source = `${view.from} ${buildJoins(view, where, orderSql(order))} ${view.lookupJoins ?? ''}`
    const groups = view.groupBy ? ` group by ${view.groupBy}` : ''
    const rows = `select ${view.columns} from ${source} where ${scopeCondition} and (${where})${groups} order by ${orderSql(order)}`
    return pageReply(count, `${rows} limit ${cut.limit} offset ${cut.skip}`)
  }
  const seek = (page - 1) * limit >= seekThreshold ? seekSql(spec) : null
  const keys = seek ? keysSql({ ...spec, where: seek.where }, { ...cut, skip: seek.skip }) : keysSql(spec, cut)
  return `${seek ? `with seek as materialized (${seek.sql}) ` : ''}${pageReply(count, rowsSql(view, keys))}`
}

/** Builds the SQL of the first rows in an order, `:limit` of them, without a count. */
export function buildFirstSql(spec: Pick<PageSpec, 'view' | 'scopeCondition' | 'isMultiOrganization' | 'where' | 'order'>): string {
  const keys = keysSql({ ...spec, filterNames: undefined, page: 1, limit: 0 }, { limit: ':limit::bigint', skip: '0' })
  return `select coalesce(json_agg(row_to_json(v)), '[]')::text as items from (${rowsSql(spec.view, keys)}) v`
}

/** Selects the rows with these keys, in their order. */
function rowsSql(view: View<unknown>, keys: string): string {
  return `select ${view.columns} from ${view.from} ${view.lookupJoins ?? ''}, unnest(${keys}) with ordinality as page (key, position)
    where ${view.key} = page.key order by page.position`
}

function pageReply(count: string, rows: string): string {
  return `select (${count}) as total_count, (select json_agg(row_to_json(v))::text from (${rows}) v) as items`
}

function orderSql(order: SortOrder): string {
  return order
    .map(({ by, descending, nullCondition }) => `${by} ${descending ? 'desc' : 'asc'}${nullCondition ? ' nulls last' : ''}`)
    .join(', ')
}

/** Finds the references that a text names. Joining others would prevent an index-only scan. */
function findReferences(view: View<unknown>, text: string): [alias: string, Lookup][] {
  const names = new Set(text.match(/\w+(?=\.)/g))
  return Object.entries(view.references ?? {}).filter(([alias]) => names.has(alias))
}

/** Builds the joins of the references that conditions and orders name. */
export function buildJoins(view: View<unknown>, ...texts: string[]): string {
  const joins = findReferences(view, texts.join(' ')).map(
    ([alias, { table, foreignKey, key = 'id', condition = 'true' }]) =>
      `left join ${table} ${alias} on ${alias}.${key} = ${foreignKey} and ${alias}.organization_id = ${view.organization} and ${condition}`,
  )
  return joins.join(' ')
}

/**
 * Builds the array of keys of a page, in order. If the first column is nullable, rows with a value are one list and rows without another:
 * an index has nulls on the wrong side in one direction, and no index covers the nulls of an outer join.
 */
function keysSql(rows: PageSpec, { limit, skip }: Cut): string {
  const [{ nullCondition, ...first }, ...rest] = rows.order as [SortTerm, ...SortTerm[]]
  if (!nullCondition) return `array(${keyQuery(rows, { limit, skip })})`
  const end = `${skip} + ${limit}`
  const withCondition = (condition: string, order: SortOrder) => ({ ...rows, where: `(${rows.where}) and (${condition})`, order })
  const present = findSortTable(rows) ? { ...rows, order: [first, ...rest] } : withCondition(`${first.by} is not null`, [first, ...rest])
  const keys = `array(${keyQuery(present, { limit: end, skip: '0' })})`
  const others = keyQuery(withCondition(nullCondition, rest), { limit: `greatest(0, ${end} - cardinality(present.keys))`, skip: '0' })
  return `(select (present.keys || array(${others}))[${subscript(`${skip} + 1`)} : ${subscript(end)}] from (select ${keys} as keys offset 0) present)`
}

/** Selects keys in order, each from an index with that order. */
function keyQuery(rows: PageSpec, cut: Cut): string {
  const { view, scopeCondition, where, order, isMultiOrganization } = rows
  const other = findSortTable(rows)
  if (other) return keyQueryThrough(rows, { ...cut, ...other })
  const filtering = findFilterTable(rows)
  if (filtering) return keyQueryWithin(rows, { ...cut, ...filtering })
  if (isMultiOrganization && view.organization !== null) return keyQueryAcross(rows, cut)
  const joins = buildJoins(view, where, orderSql(order))
  return `select ${view.key} from ${view.from} ${joins} where ${scopeCondition} and (${where})${innerJoin(rows)} order by ${orderSql(order)}
    limit ${cut.limit} offset ${cut.skip}`
}

/** Returns the small table by which the whole list is sorted. With filters, few of its rows may have matches. */
function findSortTable(rows: PageSpec): { alias: string; reference: Lookup } | null {
  const [other] = findReferences(rows.view, rows.order[0]?.by ?? '')
  return other?.[1].isSmallTable && isWhole(rows) ? { alias: other[0], reference: other[1] } : null
}

/**
 * Returns the small table whose columns are all that the filters of a list by time name, and these filters. In order of time, all rows would be
 * read if few of them match.
 */
function findFilterTable(rows: PageSpec): { alias: string; reference: Lookup; filter: string } | null {
  const { view, where, order, filterNames, page, limit } = rows
  const [found, ...others] = findReferences(view, where)
  if (!found?.[1].isSmallTable || others.length > 0 || !filterNames) return null
  if (order[0]?.by !== view.counter?.time || (page - 1) * limit >= seekThreshold) return null
  const filter = where.replaceAll(String(view.organization), `${found[0]}.organization_id`)
  return new RegExp(`\\b${rowAlias(view)}\\.`).test(filter) ? null : { alias: found[0], reference: found[1], filter }
}

/** States that the row of the other table exists, which is always true: PostgreSQL can then start with that table, in its order. */
function innerJoin({ view, order: [first] }: PageSpec): string {
  return first && !first.nullCondition && findReferences(view, first.by).length > 0 ? ` and ${first.by} is not null` : ''
}

/** Array subscripts are integers, and no page has a row at a greater position. */
function subscript(position: string): string {
  return `least(${position}, 2147483647)::integer`
}

/** For several organizations, takes the first rows of each from its index and merges them. */
function keyQueryAcross(rows: PageSpec, { limit, skip }: Cut): string {
  const { view, where, order } = rows
  return `select own.key from unnest(:organizations::uuid[]) as asked (organization_id), lateral (
      select ${view.key} as key, ${columnsFor(order)} from ${view.from} ${buildJoins(view, where, orderSql(order))}
      where ${view.organization} = asked.organization_id and (${where})${innerJoin(rows)}
      order by ${orderSql(order)} limit ${limit} + ${skip}) own
    order by ${mergedBy(order)} limit ${limit} offset ${skip}`
}

/** Builds the keys of the whole list sorted by another table: that table's rows in order, and for each the first rows that refer to it. */
function keyQueryThrough(rows: PageSpec, { alias, reference, limit, skip }: Cut & { alias: string; reference: Lookup }): string {
  const { view, scopeCondition, where, order } = rows
  const [first, ...rest] = order as [SortTerm, ...SortTerm[]]
  const { table, foreignKey, key = 'id', condition = 'true' } = reference
  const organization = `${alias}.organization_id`
  return `select own.key from (
      select ${alias}.${key} as key, ${organization}, ${first.by} as by_0 from ${table} ${alias}
      where ${scopeCondition.replace(String(view.organization), organization)} and ${first.by} is not null and ${condition}) other, lateral (
      select ${view.key} as key, ${columnsFor(rest, 1)} from ${view.from} ${buildJoins(view, where, orderSql(rest))}
      where ${view.organization} = other.organization_id and ${foreignKey} = other.key and (${where})
      order by ${orderSql(rest)} limit ${limit} + ${skip}) own
    order by other.by_0 ${first.descending ? 'desc' : 'asc'}, ${mergedBy(rest, 1)} limit ${limit} offset ${skip}`
}

/** Builds the keys of a list that only columns of another table filter: that table's matching rows, and for each the first rows that refer to it. */
function keyQueryWithin(rows: PageSpec, through: Cut & { alias: string; reference: Lookup; filter: string }): string {
  const { view, scopeCondition, order } = rows
  const { alias, reference, filter, limit, skip } = through
  const { table, foreignKey, key = 'id', condition = 'true' } = reference
  const organization = `${alias}.organization_id`
  return `select own.key from (
      select ${alias}.${key} as key, ${organization} from ${table} ${alias}
      where ${scopeCondition.replaceAll(String(view.organization), organization)} and (${filter}) and ${condition}) other, lateral (
      select ${view.key} as key, ${columnsFor(order)} from ${view.from}
      where ${view.organization} = other.organization_id and ${foreignKey} = other.key
      order by ${orderSql(order)} limit ${limit} + ${skip}) own
    order by ${mergedBy(order)} limit ${limit} offset ${skip}`
}

const columnsFor = (order: SortOrder, from = 0) => order.map(({ by }, index) => `${by} as by_${index + from}`).join(', ')
const mergedBy = (order: SortOrder, from = 0) => orderSql(order.map((term, index) => ({ ...term, by: `own.by_${index + from}` })))

/** Whether the organization is the only filter: then every row read in order belongs to the page. */
const isWhole = ({ filterNames }: PageSpec) => filterNames?.every((name) => name === 'organization_id') ?? false

const rowAlias = ({ key }: View<unknown>) => key?.split('.')[0]

/** Counts by counters if they cover the filters, otherwise by counting rows. */
function countSql(rows: PageSpec): string {
  const { view, scopeCondition, where } = rows
  const kind = countedKind(rows)
  if (kind)
    return `select coalesce(sum(${rowAlias(view)}.delta), 0) from ${countersSql(view, kind, where)} and ${scopeCondition} and (${where})`
  const counted = `from ${view.from} ${buildJoins(view, where)} where ${scopeCondition} and (${where})`
  return view.groupBy ? `select count(*) from (select ${counted} group by ${view.groupBy}) grouped` : `select count(*) ${counted}`
}

/** Returns the kind of counter that covers these filters; null if none does. */
function countedKind(rows: PageSpec): string | null {
  const { counter } = rows.view
  const { filterNames } = rows
  if (!counter || !filterNames) return null
  if (isWhole(rows)) return 'all'
  const groups = Object.entries(counter.groups ?? {})
  const covering = groups.find(([, covered]) => filterNames.every((name) => name === 'organization_id' || covered.includes(name)))
  return covering?.[0] ?? null
}

/** Reads counter rows under the alias of the view, so that its scope and filters apply unchanged. */
function countersSql(view: View<unknown>, kind: string, filters: string): string {
  const alias = rowAlias(view)
  return `list_counts ${alias} ${buildJoins(view, filters)} where ${alias}.list = '${view.counter?.list}' and ${alias}.kind = '${kind}'`
}

/**
 * Returns where a deep page of the whole list starts in chronological order: the day, and the number of rows on the days before. Only rows
 * of that day are skipped one by one. Exact, because the counters are of the same snapshot as the rows.
 */
function seekSql(rows: PageSpec): { sql: string; where: string; skip: string } | null {
  const { view, scopeCondition, where, order } = rows
  const [first] = order
  if (!first || first.by !== view.counter?.time || countedKind(rows) !== 'all') return null
  const alias = rowAlias(view)
  const direction = first.descending ? 'desc' : 'asc'
  return {
    sql: `select ahead, (day ${first.descending ? '+ 1' : ''})::timestamp at time zone 'UTC' as edge
      from (select day, (sum(rows) over (order by day ${direction}) - rows)::bigint as ahead
        from (select ${alias}.day, sum(${alias}.delta) as rows from ${countersSql(view, 'day', where)} and ${scopeCondition} and (${where})
          group by ${alias}.day) days) reached
      where ahead <= :offset::bigint order by ahead desc, day limit 1`,
    where: `(${where}) and ${first.by} ${first.descending ? '<' : '>='} (select edge from seek)`,
    skip: '(:offset::bigint - (select ahead from seek))',
  }
}

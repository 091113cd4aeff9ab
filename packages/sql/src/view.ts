import type { Statement } from './statement.ts'

/**
 * Public representation of an aggregate: the SQL shared by gets, lists and events. Column aliases are the keys of the reply. The reader
 * adds the tenant condition (and the customer condition, for portal callers), so a view without a `where` cannot leak other tenants' rows.
 */
export interface View<Reply> {
  readonly reply?: Reply
  name: string
  columns: string
  /** Table with the rows of the objects. */
  from: string
  /** Rows of other tables that filters and orders use, by alias. */
  references?: Readonly<Record<string, Lookup>>
  /** Joins used only by columns, each with exactly one row. */
  lookupJoins?: string
  /** Column of `from` that identifies a row. Without it pages are selected from whole rows: for short lists. */
  key?: string
  /** Columns whose equal rows are one object, of all organizations that a page selects; without `key`. `columns` are these and aggregates. */
  groupBy?: string
  /** Row counters in the database (`list-counters.ts`). */
  counter?: RowCounter
  /** Column with the organization; null only with `unscopedReason`. */
  organization: string | null
  /** Column with the customer; without it customers are rejected. */
  customer?: string
  /**
   * Condition of the rows that belong to the checkout `:checkout`: the rows of the customer visible to a session bound to it. Without it
   * such a session finds nothing.
   */
  checkout?: string
  /** Why rows are not limited to an organization: for example, they are found by the hash of a secret. */
  unscopedReason?: string
}

/** The one row of another table, of the same organization, that a row refers to. */
export interface Lookup {
  table: string
  /** Column of the row with the key of the other one. */
  foreignKey: string
  /** Column of the other table; default `id`. */
  key?: string
  /** Condition that selects one row of several. */
  condition?: string
  /** Whether the table is much smaller than the lists that refer to it: lists sorted or filtered by it are read row by row of it. */
  isSmallTable?: boolean
}

/** A list with maintained row counts: the cost of its total, and of deep pages in chronological order, does not grow with its length. */
export interface RowCounter {
  list: string
  /** Timestamp column by whose days rows are counted. */
  time: string
  /** Kinds of counters besides `all` and `day`, each with the names of the filters that it covers. */
  groups?: Readonly<Record<string, readonly string[]>>
}

/** A reply created by PostgreSQL as JSON; forwarded to the client without being parsed. */
export type JsonText<Reply> = string & { readonly reply?: Reply }

/** Appends fields to a JSON object without parsing it. */
export function appendJsonFields<Reply, More extends object>(json: JsonText<Reply>, more: More): JsonText<Reply & More> {
  return `${json.slice(0, -1)},${JSON.stringify(more).slice(1)}`
}

/** Runs a statement and returns its rows. */
export type Execute = (query: Statement, values: unknown[]) => Promise<Record<string, unknown>[]>

/** Selection from a view. Conditions use the view's aliases and `:name` parameters. */
export interface ViewQuery {
  where: string
  values?: Readonly<Record<string, unknown>>
}

/** One column of a sort order. */
export interface SortTerm {
  by: string
  descending: boolean
  /** Condition for a missing value; such rows come last. Without it the column is never null. */
  nullCondition?: string
}

/** The order of a list; its last term makes it total. */
export type SortOrder = readonly SortTerm[]

/** The first objects in an order, without a count: for readers that continue after the last one received. The view has a `key`. */
export interface FirstQuery extends ViewQuery {
  orderBy: SortOrder
  limit: number
}

/** A page of a view. `orderBy` is never copied from a request, but selected from known columns. */
export interface PageQuery extends ViewQuery {
  orderBy: SortOrder
  /** Names of the filters in `where`, from `buildWhere`: if counters cover all of them, rows are not counted. */
  filterNames?: readonly string[]
  /** Whether the best plan depends on the values: then the statement is planned for each execution. */
  isPlanSensitive?: boolean
  page: number
  limit: number
}

/** The reply of a list. */
export interface Page<Item> {
  items: Item[]
  pagination: { total_count: number; max_page: number }
}

export interface ViewReader {
  /** Returns the object, or throws `ResourceNotFound`. */
  one<Reply>(view: View<Reply>, pick: ViewQuery): Promise<JsonText<Reply>>
  /** Returns the object or null. */
  oneOrNull<Reply>(view: View<Reply>, pick: ViewQuery): Promise<JsonText<Reply> | null>
  /** Returns the first objects without counting the rest. */
  first<Reply>(view: View<Reply>, pick: FirstQuery): Promise<JsonText<Reply[]>>
  /** Returns a page with its pagination. */
  page<Reply>(view: View<Reply>, pick: PageQuery): Promise<JsonText<Page<Reply>>>
}

/** Returns SQL of an object inside a view: from columns of the same row, or from one row of another table. Null if there is no row. */
export function nested(columns: string, row?: string): string {
  return `(select row_to_json(x) from (select ${columns}${row ? ` from ${row}` : ''}) x)`
}

/** Returns SQL of a list inside a view, from rows of another table. Empty, never null. */
export function nestedList(columns: string, rows: string): string {
  return `coalesce((select json_agg(row_to_json(x)) from (select ${columns} from ${rows}) x), '[]'::json)`
}

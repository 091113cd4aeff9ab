import type { Statement } from './statement.ts'

/**
 * How an aggregate looks from outside: the one SQL that gets, lists and events share. Column aliases are the keys of the
 * reply. Rows are bound to the caller's organizations (and to the customer, for portal callers) by `read`, never by the
 * statement's author, so a forgotten `where` cannot leak.
 */
export interface View<Reply> {
  readonly reply?: Reply
  name: string
  columns: string
  /** Whose rows the objects are. */
  from: string
  /** Rows of other tables that filters and orders name, by alias. */
  references?: Readonly<Record<string, Reference>>
  /** Joins that only columns need, each of exactly one row. */
  details?: string
  /** Column of `from` that identifies a row. Without it pages are cut from whole rows: for lists that stay short. */
  key?: string
  /** Counters that the database keeps of the rows (`list-counts.ts`). */
  counted?: Counted
  /** Column that holds the organization; null only with `because`. */
  organization: string | null
  /** Column that holds the customer; a customer is refused where there is none. */
  customer?: string
  /** Why rows are not bound to an organization: for example, found by the hash of a secret. */
  because?: string
}

/** The one row of another table, of the same organization, that a row refers to. */
export interface Reference {
  table: string
  /** Column of the row that holds the other's key. */
  of: string
  /** Column of the other table; `id` where nothing is said. */
  key?: string
  /** Condition that leaves one row where there are several. */
  only?: string
  /** A catalogue, much shorter than the lists that refer to it: they are read row by row of it where they are in its order. */
  isCatalogue?: boolean
}

/** A list whose rows are counted as they come and go: its total, and deep pages in the order of time, do not cost the more the longer it is. */
export interface Counted {
  list: string
  /** Column of time whose days are counted. */
  time: string
  /** Names of filters by product, or by what a product refers to. */
  productFilters?: readonly string[]
}

/** A reply as PostgreSQL wrote it; travels to the client without being parsed again. */
export type JsonText<Reply> = string & { readonly reply?: Reply }

/** An object with fields behind its own, without reading it. */
export function withFields<Reply, More extends object>(json: JsonText<Reply>, more: More): JsonText<Reply & More> {
  return `${json.slice(0, -1)},${JSON.stringify(more).slice(1)}`
}

/** Runs a statement and gives its rows. */
export type Execute = (query: Statement, values: unknown[]) => Promise<Record<string, unknown>[]>

/** What to pick from a view. Conditions are written in the view's own aliases with `:name` parameters. */
export interface Pick {
  where: string
  values?: Readonly<Record<string, unknown>>
}

/** The first objects in an order, uncounted: for readers that go on from the last one they saw. */
export interface FirstPick extends Pick {
  orderBy: string
  limit: number
}

/** One column of an order. */
export interface Term {
  by: string
  descending: boolean
  /** Condition under which there is no value; such rows come last. Without it there always is one. */
  absent?: string
}

/** The order of a list; its last term tells any two rows apart. */
export type Order = readonly Term[]

/** A page of a view. `orderBy` is never taken from a request as it is, only from a table of known columns. */
export interface PagePick extends Pick {
  orderBy: Order
  /** Names of the filters in `where`, from `whereGiven`: where counters know them all, nothing is counted. */
  given?: readonly string[]
  /** The best plan depends on the values: it is made anew for each. */
  isUneven?: boolean
  page: number
  limit: number
}

/** The reply of a list. */
export interface Page<Item> {
  items: Item[]
  pagination: { total_count: number; max_page: number }
}

export interface Read {
  /** The one object, or `ResourceNotFound`. */
  one<Reply>(view: View<Reply>, pick: Pick): Promise<JsonText<Reply>>
  /** The one object, or null. */
  oneOrNull<Reply>(view: View<Reply>, pick: Pick): Promise<JsonText<Reply> | null>
  /** The first few, without counting the rest. */
  first<Reply>(view: View<Reply>, pick: FirstPick): Promise<JsonText<Reply[]>>
  /** A page with its pagination. */
  page<Reply>(view: View<Reply>, pick: PagePick): Promise<JsonText<Page<Reply>>>
}

/** An object inside a view: from columns of the same row, or from the one row of another table. Null where there is none. */
export function nested(columns: string, row?: string): string {
  return `(select row_to_json(x) from (select ${columns}${row ? ` from ${row}` : ''}) x)`
}

/** A list inside a view, from rows of another table. Empty, never null. */
export function nestedList(columns: string, rows: string): string {
  return `coalesce((select json_agg(row_to_json(x)) from (select ${columns} from ${rows}) x), '[]'::json)`
}

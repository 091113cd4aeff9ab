import type { SortOrder, SortTerm } from './view.ts'

/** A nullable column: rows without a value come last, in both directions. */
export interface Nullable {
  by: string
  /** Condition for a missing value, in columns of the row itself, so that an index can serve it. */
  nullCondition: string
}

/** Sortable columns of a list by the names used in the contract. A column of another table is never null, or is `nullable`. */
export type SortableColumns = Readonly<Record<string, string | Nullable>>

export interface Sorting {
  /** `property` or `-property`, already validated by the contract. */
  sorting: readonly string[]
  /** Columns that make the order total, so that pages neither skip nor repeat rows; they use the direction of the last property. */
  tieBreakers: readonly string[]
}

/** Defines a nullable column. */
export function nullable(by: string, nullCondition = `${by} is null`): Nullable {
  return { by, nullCondition }
}

/** Builds the order of a list from the contract's sorting properties; only the given columns are used, each once. */
export function buildSortOrder(columns: SortableColumns, { sorting, tieBreakers }: Sorting): SortOrder {
  const terms = new Map<string, SortTerm>()
  const add = (column: string | Nullable, descending: boolean) => {
    const term = typeof column === 'string' ? { by: column } : column
    if (!terms.has(term.by)) terms.set(term.by, { ...term, descending })
  }
  for (const property of sorting) {
    const descending = property.startsWith('-')
    const column = columns[descending ? property.slice(1) : property]
    if (!column) throw new Error(`No column to sort by ${property}`)
    add(column, descending)
  }
  for (const tie of tieBreakers) add(tie, sorting.at(-1)?.startsWith('-') ?? false)
  return [...terms.values()]
}

/** Returns the order of a list that cannot be sorted; `alias` is the row. */
export function newestFirst(alias: string): SortOrder {
  return [`${alias}.created_at`, `${alias}.id`].map((by) => ({ by, descending: true }))
}

/** Returns the reverse of `newestFirst`. */
export function oldestFirst(alias: string): SortOrder {
  return newestFirst(alias).map(({ by }) => ({ by, descending: false }))
}

/** A filter in SQL, with its value in a parameter with the filter's name. */
export interface Filter {
  sql: string
  value: unknown
  /** Additional parameters. */
  extraValues?: Readonly<Record<string, unknown>>
  /** Whether the best plan depends on the value. */
  isPlanSensitive?: boolean
}

/** Builds the conditions of a list from the filters that have a value. `undefined` means that the filter was not requested. */
export function buildWhere(conditions: Readonly<Record<string, Filter>>): {
  where: string
  values: Record<string, unknown>
  filterNames: readonly string[]
  isPlanSensitive: boolean
} {
  const present = Object.entries(conditions).filter(([, { value }]) => value !== undefined)
  const narrowed = present.map(([name, condition]) => ({ name, ...condition, ...simplifySingleValue(name, condition) }))
  return {
    where: narrowed.length ? narrowed.map(({ sql }) => `(${sql})`).join(' and ') : 'true',
    values: Object.assign({}, ...narrowed.map(({ name, value, extraValues }) => ({ ...extraValues, [name]: value }))),
    filterNames: narrowed.map(({ name }) => name),
    isPlanSensitive: narrowed.some((condition) => condition.isPlanSensitive),
  }
}

/** Compares a list of one value with `=`: PostgreSQL reads an index in order for one value, but sorts for several. */
function simplifySingleValue(name: string, { sql, value }: Filter): Filter {
  if (!Array.isArray(value) || value.length !== 1) return { sql, value }
  const equal = sql.replaceAll(`= any(:${name})`, `= :${name}`)
  return equal === sql ? { sql, value } : { sql: equal, value: value[0] }
}

/** Converts one or several values to a list, for `= any(:name)`. */
export function toArray<T>(value: T | readonly T[] | undefined): readonly T[] | undefined {
  return value === undefined || Array.isArray(value) ? (value as readonly T[] | undefined) : [value as T]
}

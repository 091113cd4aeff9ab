import type { Order, Term } from './view.ts'

/** A column that may be null: rows where it is come last, in both directions. */
export interface Nullable {
  by: string
  /** Condition under which there is no value, in columns of the row itself: an index must serve it. */
  absent: string
}

/** Known columns of a list by the names the contract sorts by. A column of another table is never null, or `nullable`. */
export type SortableColumns = Readonly<Record<string, string | Nullable>>

export interface Sorting {
  /** `property` or `-property`, already checked by the contract. */
  sorting: readonly string[]
  /** Columns that make the order total, so that pages neither skip nor repeat; they follow the direction of the last word. */
  ties: readonly string[]
}

/** A column that may be null. */
export function nullable(by: string, absent = `${by} is null`): Nullable {
  return { by, absent }
}

/** The order of a list from the contract's sorting words; only the given columns can come out, each once. */
export function orderBy(columns: SortableColumns, { sorting, ties }: Sorting): Order {
  const terms = new Map<string, Term>()
  const add = (column: string | Nullable, descending: boolean) => {
    const term = typeof column === 'string' ? { by: column } : column
    if (!terms.has(term.by)) terms.set(term.by, { ...term, descending })
  }
  for (const word of sorting) {
    const descending = word.startsWith('-')
    const column = columns[descending ? word.slice(1) : word]
    if (!column) throw new Error(`No column to sort by ${word}`)
    add(column, descending)
  }
  for (const tie of ties) add(tie, sorting.at(-1)?.startsWith('-') ?? false)
  return [...terms.values()]
}

/** The order of a list that cannot be sorted; `alias` is the row. */
export function newestFirst(alias: string): Order {
  return [`${alias}.created_at`, `${alias}.id`].map((by) => ({ by, descending: true }))
}

/** The same the other way round. */
export function oldestFirst(alias: string): Order {
  return newestFirst(alias).map(({ by }) => ({ by, descending: false }))
}

/** A filter in SQL, with its value in a parameter of the filter's name. */
export interface Condition {
  sql: string
  value: unknown
  /** Further parameters. */
  more?: Readonly<Record<string, unknown>>
  /** The best plan depends on the value. */
  isUneven?: boolean
}

/** Conditions of a list: those whose value was given. `undefined` means that the filter was not asked for. */
export function whereGiven(conditions: Readonly<Record<string, Condition>>): {
  where: string
  values: Record<string, unknown>
  given: readonly string[]
  isUneven: boolean
} {
  const given = Object.entries(conditions).filter(([, { value }]) => value !== undefined)
  const narrowed = given.map(([name, condition]) => ({ name, ...condition, ...oneAsEqual(name, condition) }))
  return {
    where: narrowed.length ? narrowed.map(({ sql }) => `(${sql})`).join(' and ') : 'true',
    values: Object.assign({}, ...narrowed.map(({ name, value, more }) => ({ ...more, [name]: value }))),
    given: narrowed.map(({ name }) => name),
    isUneven: narrowed.some((condition) => condition.isUneven),
  }
}

/** A list of one is `=`: PostgreSQL reads an index in its order for one value, and sorts for several. */
function oneAsEqual(name: string, { sql, value }: Condition): Condition {
  if (!Array.isArray(value) || value.length !== 1) return { sql, value }
  const equal = sql.replaceAll(`= any(:${name})`, `= :${name}`)
  return equal === sql ? { sql, value } : { sql: equal, value: value[0] }
}

/** One value or several as a list, for `= any(:name)`. */
export function asList<T>(value: T | readonly T[] | undefined): readonly T[] | undefined {
  return value === undefined || Array.isArray(value) ? (value as readonly T[] | undefined) : [value as T]
}

/** Texts of a JSON value, or of each in a list. */
const texts = `jsonb_array_elements_text(case jsonb_typeof(f.value) when 'array' then f.value else jsonb_build_array(f.value) end)`

/** What a number that JavaScript wrote is in PostgreSQL's words; the longest double has 345 digits. */
const number = /^-?(0|[1-9]\d*)(\.\d+)?$/

/** Every JSON object of one key that reads as one of these texts. */
function readingAs(key: string, wanted: unknown): string[] {
  const given = (Array.isArray(wanted) ? wanted : [wanted]).map(String)
  return given.flatMap((text) => {
    const isLiteral = text === 'true' || text === 'false' || (text.length <= 400 && number.test(text))
    const quoted = `{${JSON.stringify(key)}:${JSON.stringify(text)}}`
    return isLiteral ? [quoted, `{${JSON.stringify(key)}:${text}}`] : [quoted]
  })
}

/**
 * Filter by metadata, compared as text; its parameters are `metadata` and `metadata_forms`. An index finds rows by the first key; whether it
 * is worth it depends on how many have the value.
 */
export function metadataFilter(column: string, wanted: Readonly<Record<string, unknown>> | undefined): Condition {
  const [first] = Object.entries(wanted ?? {})
  return {
    sql: `${column} <> '{}' and ${column} @> any(:metadata_forms::jsonb[]) and not exists (
      select 1 from jsonb_each(:metadata::jsonb) f where not coalesce((${column} ->> f.key) in (select ${texts}), false))`,
    value: first && JSON.stringify(wanted),
    more: { metadata_forms: first && readingAs(...first) },
    isUneven: true,
  }
}

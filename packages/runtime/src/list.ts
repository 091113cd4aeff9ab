/** Known columns of a list by the names the contract sorts by. */
export interface Sorting {
  /** `property` or `-property`, already checked by the contract. */
  sorting: readonly string[]
  /** Column that makes the order total, so that pages neither skip nor repeat. */
  tieBreaker: string
}

/** `order by` from the contract's sorting words; only the given columns can come out. */
export function orderBy(columns: Readonly<Record<string, string>>, { sorting, tieBreaker }: Sorting): string {
  const terms = sorting.map((word) => {
    const descending = word.startsWith('-')
    const column = columns[descending ? word.slice(1) : word]
    if (!column) throw new Error(`No column to sort by ${word}`)
    return `${column} ${descending ? 'desc' : 'asc'} nulls last`
  })
  return [...terms, `${tieBreaker} ${sorting.at(-1)?.startsWith('-') ? 'desc' : 'asc'}`].join(', ')
}

/** Conditions of a list: those whose value was given. `undefined` means that the filter was not asked for. */
export function whereGiven(conditions: Readonly<Record<string, { sql: string; value: unknown }>>): {
  where: string
  values: Record<string, unknown>
} {
  const given = Object.entries(conditions).filter(([, condition]) => condition.value !== undefined)
  return {
    where: given.length ? given.map(([, condition]) => `(${condition.sql})`).join(' and ') : 'true',
    values: Object.fromEntries(given.map(([name, condition]) => [name, condition.value])),
  }
}

/** One value or several as a list, for `= any(:name)`. */
export function asList<T>(value: T | readonly T[] | undefined): readonly T[] | undefined {
  return value === undefined || Array.isArray(value) ? (value as readonly T[] | undefined) : [value as T]
}

/** Condition of `MetadataFilter`, given as JSON text in the parameter `:metadata`. */
export function metadataMatches(column: string): string {
  return `not exists (select 1 from jsonb_each(:metadata::jsonb) f where not coalesce((${column} ->> f.key) in (
  select jsonb_array_elements_text(case jsonb_typeof(f.value) when 'array' then f.value else jsonb_build_array(f.value) end)), false))`
}

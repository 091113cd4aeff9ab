import type { QueryContext } from '@quittance/runtime/handler'
import { buildWhere, oldestFirst } from '@quittance/sql/list-query'
import type { View } from '@quittance/sql/view'

/**
 * Start of a formula in spreadsheets, with the full-width signs of East Asian ones. Where the comma separates decimals, a semicolon or a line
 * break starts a cell, whatever the quotes: those before the sign are read as an empty text.
 */
const formula = /(^|[;\t\r\n])(?="*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])/g

/**
 * Formats one line of CSV (RFC 4180). Text that a spreadsheet would run as a formula gets a leading apostrophe, because names come from
 * buyers. Numbers are not text and stay unchanged.
 */
export function csvLine(values: readonly (string | number | boolean | null)[]): string {
  return `${values.map(cell).join(',')}\r\n`
}

function cell(value: string | number | boolean | null): string {
  if (value === null) return ''
  if (typeof value !== 'string') return String(value)
  const safe = value.replaceAll(formula, `$1'`)
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Lines per part: far below the maximum reply size, even with the longest names. */
const partSize = 500

/** Definition of an export: the named columns of the view, in this order. The view also has `created_at` and `id`, its key. */
export interface ExportDefinition<Line> {
  view: View<Line>
  /** Heading of each column of the view. */
  headings: Readonly<Record<string, string>>
  /** Alias of the table with `created_at` and `id`. */
  alias: string
  filters: Parameters<typeof buildWhere>[0]
  /** `‹created_at› ‹id›` of the last line of the previous part. */
  after: string | null | undefined
}

type Cell = string | number | boolean | null

/**
 * Returns one part of an export, oldest first. Continues after a row, not after a count, so concurrent writes neither skip nor repeat a
 * line.
 */
export async function exportChunk<Line>(
  read: QueryContext['read'],
  { view, headings, alias, filters, after }: ExportDefinition<Line>,
): Promise<{ text: string; next: string | null }> {
  const [createdAt, id] = after?.split(' ') ?? []
  const isAfter = `(${alias}.created_at, ${alias}.id) > (:created_at::timestamptz, :id::uuid)`
  const { where, values } = buildWhere({ ...filters, created_at: { sql: isAfter, value: createdAt } })
  const first = { where, values: { ...values, id }, orderBy: oldestFirst(alias), limit: partSize }
  const lines = JSON.parse(await read.first(view, first)) as Record<string, Cell>[]
  const last = lines.length === partSize ? lines.at(-1) : undefined
  const text = lines.map((line) => csvLine(Object.keys(headings).map((name) => line[name] as Cell))).join('')
  return { text: after ? text : csvLine(Object.values(headings)) + text, next: last ? `${last['created_at']} ${last['id']}` : null }
}

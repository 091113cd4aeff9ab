import type { QueryContext } from '@quittance/runtime/handler'
import { whereGiven } from '@quittance/runtime/list'
import type { View } from '@quittance/runtime/view'
import { csvLine } from './csv.ts'

/** Lines in a part: far from what a reply may hold, also with the longest names. */
const partSize = 500

/** What is exported: the columns of the view that are named, in this order. The view has `created_at` and `id` besides. */
export interface Export<Line> {
  view: View<Line>
  /** Heading of each column of the view. */
  headings: Readonly<Record<string, string>>
  /** Alias of the table that `created_at` and `id` are of. */
  alias: string
  filters: Parameters<typeof whereGiven>[0]
  /** `‹created_at› ‹id›` of the last line of the part before. */
  after: string | null | undefined
}

type Cell = string | number | boolean | null

/** One part of an export, oldest first. Goes on after a row, not after a count, so nothing is left out or told twice meanwhile. */
export async function exportPart<Line>(
  read: QueryContext['read'],
  { view, headings, alias, filters, after }: Export<Line>,
): Promise<{ text: string; next: string | null }> {
  const [createdAt, id] = after?.split(' ') ?? []
  const isAfter = `(${alias}.created_at, ${alias}.id) > (:created_at::timestamptz, :id::uuid)`
  const { where, values } = whereGiven({ ...filters, created_at: { sql: isAfter, value: createdAt } })
  const orderBy = `${alias}.created_at, ${alias}.id`
  const lines = JSON.parse(await read.first(view, { where, values: { ...values, id }, orderBy, limit: partSize })) as Record<string, Cell>[]
  const last = lines.length === partSize ? lines.at(-1) : undefined
  const text = lines.map((line) => csvLine(Object.keys(headings).map((name) => line[name] as Cell))).join('')
  return { text: after ? text : csvLine(Object.values(headings)) + text, next: last ? `${last['created_at']} ${last['id']}` : null }
}

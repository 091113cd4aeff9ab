import { createHash } from 'node:crypto'

/** SQL with `:name` parameters, compiled for PostgreSQL. A named statement is prepared once per connection: a third of the cost. */
export interface Statement {
  name: string
  text: string
  /** Parameter names in the order of `$1`, `$2`, … */
  parameters: readonly string[]
}

/** Turns `:name` into `$n`; casts (`::text`) stay as they are. The name must be unique among texts of a service. */
export function statement(name: string, sql: string): Statement {
  const parameters: string[] = []
  const text = sql.replaceAll(/(?<!:):([a-z_][a-z0-9_]*)/g, (_, parameter: string) => {
    if (!parameters.includes(parameter)) parameters.push(parameter)
    return `$${parameters.indexOf(parameter) + 1}`
  })
  // PostgreSQL cuts identifiers at 63 bytes; two names cut alike would be two texts under one name.
  if (name.length > 60) throw new Error(`Statement name too long: ${name}`)
  return { name, text, parameters }
}

/** Name of a text that is put together as it is needed: the same for the same text, and short enough. */
export function nameOfText(prefix: string, text: string): string {
  return `${prefix}:${createHash('sha256').update(text).digest('hex').slice(0, 16)}`
}

/** Values in the order of the statement. A missing one is a mistake of ours, found at once. */
export function bind({ name, parameters }: Statement, values: Readonly<Record<string, unknown>>): unknown[] {
  return parameters.map((parameter) => {
    if (!(parameter in values)) throw new Error(`Statement ${name} lacks a value for :${parameter}`)
    return values[parameter]
  })
}

/** What a driver never refuses to send. */
type Sendable = string | null | readonly (string | null)[]

/** A statement with its values, for whoever sends it. Texts only: nothing stops it before the server has it. */
export interface Bound extends Pick<Statement, 'name' | 'text'> {
  values: Sendable[]
}

/** Puts values to their statement. */
export function bound(query: Statement, values: Readonly<Record<string, Sendable>>): Bound {
  const { name, text } = query
  return { name, text, values: bind(query, values) as Sendable[] }
}

import { createHash } from 'node:crypto'

/**
 * SQL with `:name` parameters, compiled for PostgreSQL. A named statement is prepared once per connection, which saves two thirds of its
 * cost.
 */
export interface Statement {
  name: string
  text: string
  /** Parameter names in the order of `$1`, `$2`, … */
  parameters: readonly string[]
}

/** Replaces `:name` by `$n`; casts (`::text`) are preserved. The name must be unique within a service. */
export function statement(name: string, sql: string): Statement {
  const parameters: string[] = []
  const text = sql.replaceAll(/(?<!:):([a-z_][a-z0-9_]*)/g, (_, parameter: string) => {
    if (!parameters.includes(parameter)) parameters.push(parameter)
    return `$${parameters.indexOf(parameter) + 1}`
  })
  // PostgreSQL truncates identifiers at 63 bytes; two names with the same truncation would be two texts with one name.
  if (name.length > 60) throw new Error(`Statement name too long: ${name}`)
  return { name, text, parameters }
}

/** Returns a name for a generated text: the same for the same text, and short enough. */
export function hashStatementName(prefix: string, text: string): string {
  return `${prefix}:${createHash('sha256').update(text).digest('hex').slice(0, 16)}`
}

/** Returns the values in the order of the statement. Throws if one is missing. */
export function bindValues({ name, parameters }: Statement, values: Readonly<Record<string, unknown>>): unknown[] {
  return parameters.map((parameter) => {
    if (!(parameter in values)) throw new Error(`Statement ${name} lacks a value for :${parameter}`)
    return values[parameter]
  })
}

/** Values that the driver can always send. */
type Sendable = string | null | readonly (string | null)[]

/** A statement with its values. Values are texts only, so the driver cannot fail before sending it. */
export interface BoundStatement extends Pick<Statement, 'name' | 'text'> {
  values: Sendable[]
}

/** Binds values to a statement. */
export function bindStatement(query: Statement, values: Readonly<Record<string, Sendable>>): BoundStatement {
  const { name, text } = query
  return { name, text, values: bindValues(query, values) as Sendable[] }
}

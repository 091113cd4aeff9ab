import type { ResultColumn } from './describe-statement.ts'
import type { DeclaredRow } from './read-row-type.ts'

/** Types of columns as the driver returns them (MikroORM's parsers: instants are texts), by OID. JSON is of any type. */
const typeNames: Readonly<Record<number, string>> = {
  ...Object.fromEntries([18, 19, 20, 25, 1042, 1043, 1082, 1114, 1184, 1186, 1700, 2278, 2950].map((oid) => [oid, 'string'])),
  ...Object.fromEntries([21, 23, 26, 700, 701].map((oid) => [oid, 'number'])),
  ...Object.fromEntries([1000, 1005, 1007, 1009, 1015, 1016, 1115, 1185, 1231, 2951].map((oid) => [oid, 'array'])),
  16: 'boolean',
  17: 'Buffer',
}

/**
 * Compares the declared type of rows with the columns that PostgreSQL describes: every declared column exists, has the type, and may be null
 * if it is a nullable column of a table. Whether an expression may be null is not known.
 */
export function compareRow(declared: DeclaredRow, columns: readonly ResultColumn[]): string[] {
  return [...declared].flatMap(([name, { types, isNullable }]) => {
    const column = columns.findLast((each) => each.name === name)
    if (!column) return [`column ${name} does not exist`]
    const actual = typeNames[column.type] ?? 'any'
    const problems: string[] = []
    if (actual !== 'any' && !types.has('any') && !types.has(actual))
      problems.push(`column ${name} is ${actual}, not ${[...types].join(' | ')}`)
    if (column.isNullableColumn && !isNullable) problems.push(`column ${name} may be null`)
    return problems
  })
}

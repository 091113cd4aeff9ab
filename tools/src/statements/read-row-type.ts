import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseSync } from 'oxc-parser'
import type { Node } from '../syntax-tree.ts'

/** Type of a declared column: names of primitive types, `array`, `Date`, `Buffer`, or `any` where it is not followed. */
export interface DeclaredColumn {
  types: ReadonlySet<string>
  isNullable: boolean
}

export type DeclaredRow = ReadonlyMap<string, DeclaredColumn>

const keywords: Readonly<Record<string, string>> = { TSStringKeyword: 'string', TSNumberKeyword: 'number', TSBooleanKeyword: 'boolean' }

/**
 * Reads a row type from the syntax: type literals, interfaces and aliases of the module or of a relative import, intersections, `Pick` and
 * `Omit`. Returns null for other types, whose columns are not compared.
 */
export function readRowType(type: Node, file: string): DeclaredRow | null {
  if (type.type === 'TSTypeLiteral') return readMembers(type['members'] as Node[], file)
  if (type.type === 'TSIntersectionType') return merge((type['types'] as Node[]).map((each) => readRowType(each, file)))
  if (type.type !== 'TSTypeReference') return null
  const name = (type['typeName'] as { name?: string }).name ?? ''
  const parameters = (type['typeArguments'] as { params: Node[] } | null)?.params ?? []
  if ((name === 'Pick' || name === 'Omit') && parameters[0] && parameters[1]) {
    const row = readRowType(parameters[0], file)
    const keys = readLiterals(parameters[1])
    return row && keys && new Map([...row].filter(([key]) => keys.has(key) === (name === 'Pick')))
  }
  const found = findDeclaration(name, file)
  if (!found) return null
  if (found.node.type === 'TSTypeAliasDeclaration') return readRowType(found.node['typeAnnotation'] as Node, found.file)
  const bases = (found.node['extends'] as Node[]).map(({ expression }) =>
    readRowType({ type: 'TSTypeReference', typeName: expression, start: 0, end: 0 }, found.file),
  )
  return merge([...bases, readMembers((found.node['body'] as { body: Node[] }).body, found.file)])
}

function merge(rows: readonly (DeclaredRow | null)[]): DeclaredRow | null {
  return rows.includes(null) ? null : new Map(rows.flatMap((row) => [...(row as DeclaredRow)]))
}

function readMembers(members: readonly Node[], file: string): DeclaredRow | null {
  if (members.some(({ type }) => type !== 'TSPropertySignature')) return null
  return new Map(
    members.map(({ key, typeAnnotation, optional }) => {
      const { name, value } = key as { name?: string; value?: string }
      const column = readColumn((typeAnnotation as { typeAnnotation: Node }).typeAnnotation, file)
      return [name ?? value ?? '', { ...column, isNullable: column.isNullable || optional === true }]
    }),
  )
}

function readColumn(type: Node, file: string): DeclaredColumn {
  const types = new Set<string>()
  let isNullable = false
  const add = (each: Node, inFile: string): void => {
    if (each.type === 'TSUnionType') return (each['types'] as Node[]).forEach((one) => add(one, inFile))
    if (each.type === 'TSNullKeyword' || each.type === 'TSUndefinedKeyword') return void (isNullable = true)
    if (each.type === 'TSLiteralType') return void types.add(typeof (each['literal'] as { value?: unknown }).value)
    if (each.type === 'TSArrayType') return void types.add('array')
    const name = each.type === 'TSTypeReference' ? ((each['typeName'] as { name?: string }).name ?? '') : ''
    if (name === 'Date' || name === 'Buffer') return void types.add(name)
    const alias = name ? findDeclaration(name, inFile) : null
    if (alias?.node.type === 'TSTypeAliasDeclaration') return add(alias.node['typeAnnotation'] as Node, alias.file)
    types.add(keywords[each.type] ?? 'any')
  }
  add(type, file)
  return { types, isNullable }
}

function readLiterals(type: Node): Set<string> | null {
  const options = type.type === 'TSUnionType' ? (type['types'] as Node[]) : [type]
  if (options.some((each) => each.type !== 'TSLiteralType')) return null
  return new Set(options.map((each) => String((each['literal'] as { value: unknown }).value)))
}

const parsed = new Map<string, Node[]>()

function readBody(file: string): Node[] {
  const known = parsed.get(file)
  if (known) return known
  const body = parseSync(file, readFileSync(file, 'utf8')).program.body as unknown as Node[]
  parsed.set(file, body)
  return body
}

function findDeclaration(name: string, file: string): { node: Node; file: string } | null {
  for (const statement of readBody(file)) {
    const node = (statement.type === 'ExportNamedDeclaration' ? statement['declaration'] : statement) as Node | null
    const isType = node?.type === 'TSInterfaceDeclaration' || node?.type === 'TSTypeAliasDeclaration'
    if (node && isType && (node['id'] as { name: string }).name === name && !node['typeParameters']) return { node, file }
    if (statement.type !== 'ImportDeclaration') continue
    const source = (statement['source'] as { value: string }).value
    const imported = (statement['specifiers'] as Node[]).find((each) => (each['local'] as { name: string }).name === name)
    if (!imported) continue
    const original = (imported['imported'] as { name?: string } | undefined)?.name
    return source.startsWith('.') && original ? findDeclaration(original, join(dirname(file), source)) : null
  }
  return null
}

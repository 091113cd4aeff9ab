import { parseSync } from 'oxc-parser'
import { walk, type Node } from '../syntax-tree.ts'

/** A declared name, a comment or a text for people in a TypeScript file; positions are UTF-16 offsets. */
export interface SourceItem {
  kind: 'identifier' | 'comment' | 'text'
  value: string
  start: number
  end: number
  /** An identifier that names a function. */
  isFunction: boolean
}

const declarations = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ClassDeclaration',
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
  'TSEnumDeclaration',
])
const members = new Set(['MethodDefinition', 'PropertyDefinition', 'TSPropertySignature', 'TSMethodSignature'])
const functions = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression', 'TSFunctionType'])

/** Texts of SQL, CSS and HTML are not prose. */
const markup =
  /\b(select|insert into|update|delete from|create|alter|drop|begin|returning)\b[\s\S]*\b(from|set|into|table|index|where|function)\b|[<{][a-z/]/
const prose = /\p{L}+ \p{L}+ \p{L}+/u

/** Reads the declared names, comments and texts of three or more words of a file. Throws when it cannot be parsed. */
export function readSource(file: string, source: string): SourceItem[] {
  const { program, comments, errors } = parseSync(file, source)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`)
  const items: SourceItem[] = comments.map(({ value, start, end }) => ({ kind: 'comment', value, start, end, isFunction: false }))
  walk(program as unknown as Node, (node) => items.push(...namesIn(node), ...textsIn(node)))
  return items.toSorted((a, b) => a.start - b.start)
}

function namesIn(node: Node): SourceItem[] {
  if (declarations.has(node.type)) {
    return [
      ...named(node['id'] as Node | null, functions.has(node.type)),
      ...((node['params'] as Node[] | undefined) ?? []).flatMap(bindings),
    ]
  }
  if (node.type === 'ArrowFunctionExpression') return (node['params'] as Node[]).flatMap(bindings)
  if (node.type === 'VariableDeclarator') {
    const init = node['init'] as Node | null
    const id = node['id'] as Node
    return id.type === 'Identifier' ? named(id, init !== null && functions.has(init.type)) : bindings(id)
  }
  if (members.has(node.type) && !node['computed']) return named(node['key'] as Node, isMethod(node))
  return []
}

function isMethod(node: Node): boolean {
  return node.type === 'TSMethodSignature' || (node.type === 'MethodDefinition' && node['kind'] === 'method')
}

/** Names that a pattern binds; keys of the taken object are not its own. */
function bindings(pattern: Node): SourceItem[] {
  switch (pattern.type) {
    case 'Identifier':
      return named(pattern, false)
    case 'AssignmentPattern':
      return bindings(pattern['left'] as Node)
    case 'RestElement':
      return bindings(pattern['argument'] as Node)
    case 'TSParameterProperty':
      return bindings(pattern['parameter'] as Node)
    case 'ArrayPattern':
      return (pattern['elements'] as (Node | null)[]).flatMap((element) => (element ? bindings(element) : []))
    case 'ObjectPattern':
      return (pattern['properties'] as Node[]).flatMap((property) => bindings((property['value'] ?? property['argument']) as Node))
    default:
      return []
  }
}

function named(id: Node | null, isFunction: boolean): SourceItem[] {
  const name = id?.type === 'Identifier' || id?.type === 'PrivateIdentifier' ? id['name'] : null
  return id && typeof name === 'string' ? [{ kind: 'identifier', value: name, start: id.start, end: id.end, isFunction }] : []
}

function textsIn(node: Node): SourceItem[] {
  if (node.type === 'Literal' && typeof node['value'] === 'string') return text(node['value'], node)
  if (node.type !== 'TemplateLiteral') return []
  const quasis = node['quasis'] as (Node & { value: { cooked: string | null } })[]
  const whole = quasis.map(({ value }) => value.cooked ?? '').join('…')
  return text(whole, node)
}

function text(value: string, { start, end }: Node): SourceItem[] {
  return prose.test(value) && !markup.test(value) ? [{ kind: 'text', value, start, end, isFunction: false }] : []
}

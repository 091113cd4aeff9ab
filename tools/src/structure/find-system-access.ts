import { parseSource, readName, walk, type Node } from '../syntax-tree.ts'

/** A declared access to rows of all organizations. */
export interface SystemAccess {
  kind: 'operation' | 'component' | 'job' | 'batch consumer'
  name: string
  file: string
  /** Null for jobs and batch consumers, which always have it. */
  reason: string | null
}

/** The system access that a module declares, and what it must not contain. */
export type SystemAccessFindings = Record<'problems', string[]> & Record<'declared', SystemAccess[]>

const kinds: Readonly<Record<string, SystemAccess['kind']>> = {
  systemQuery: 'operation',
  systemCommand: 'operation',
  systemStaged: 'operation',
  createSystemSql: 'component',
  job: 'job',
  createResealJob: 'job',
  batchConsumer: 'batch consumer',
}

/** Types that a cast would turn a scoped context into. */
const accessTypes = /^(SqlRunner|ScopedSql|SystemSql|System(Transaction|QueryContext|CommandContext))$/

/** Uses that are neither scoped nor declared, by file and finding, with their reason. */
const exceptions: Readonly<Record<string, string>> = {
  'services/auth/src/sign-in/attempt-limits.ts: database.pool': 'the library of the limits reads and writes its own table',
  'services/orders/src/checkouts/update-checkout.ts: organization: false': 'finds by client secret, then binds the organization',
  'services/orders/src/checkout-links/open-checkout-link.ts: organization: false': 'finds by client secret, then binds the organization',
  'services/orders/src/entitlements/license-key-commands.ts: organization: false': 'finds by key, then binds the organization',
}

/**
 * Finds the declared system access of a module, and ways around it: a reason that is not a text, a cast to a type with system access, direct
 * use of the database, and an entity filter that is switched off.
 */
export function findSystemAccess(file: string, source: string): SystemAccessFindings {
  const found: SystemAccessFindings = { declared: [], problems: [] }
  const texts = new Map<string, string>()
  const report = (problem: string) => {
    if (!(`${file}: ${problem}` in exceptions)) found.problems.push(`${file}: ${problem}`)
  }
  walk(parseSource(file, source), (node, parents) => {
    if (node.type === 'VariableDeclarator') {
      const text = literal(node['init'] as Node | null, texts)
      if (text !== null) texts.set(readName(node['id']), text)
    }
    const kind = node.type === 'CallExpression' ? kinds[readName(node['callee'])] : undefined
    if (kind) found.declared.push(declare(node, { kind, file, parents, texts, report }))
    const isCast = node.type === 'TSAsExpression' || node.type === 'TSTypeAssertion'
    const target = isCast ? readName((node['typeAnnotation'] as Node)['typeName']) : ''
    if (accessTypes.test(target)) report(`cast to ${target}`)
    const use = directUse(node)
    if (use) report(use)
  })
  return found
}

interface Declaration {
  kind: SystemAccess['kind']
  file: string
  parents: readonly Node[]
  texts: ReadonlyMap<string, string>
  report(problem: string): void
}

function declare(call: Node, { kind, file, parents, texts, report }: Declaration): SystemAccess {
  const [first, second] = call['arguments'] as Node[]
  const owners = kind === 'component' ? /^FunctionDeclaration$/ : /^(FunctionDeclaration|VariableDeclarator)$/
  const owner = parents.findLast(({ type }) => owners.test(type))
  const name = (kind === 'job' ? literal(property(first, 'name'), texts) : null) ?? readName(owner?.['id'])
  if (kind === 'job' || kind === 'batch consumer') return { kind, name, file, reason: null }
  const reason = literal(kind === 'operation' ? property(second, 'reason') : second, texts)
  if (reason === null) report(`${name} states no reason as a text`)
  return { kind, name, file, reason }
}

function directUse(node: Node): string | null {
  if (node.type === 'MemberExpression') {
    const [object, member] = [readName(node['object']), readName(node['property'])]
    if (object === 'database' && /^(execute|pool|orm)$/.test(member)) return `database.${member}`
    if (/^(getConnection|getNativeClient|getKysely|createQueryBuilder)$/.test(member)) return member
    if (object === 'em' && member === 'execute') return 'em.execute'
  }
  const isFilter = node.type === 'Property' && readName(node['key']) === 'organization'
  return isFilter && (node['value'] as Node)['value'] === false ? 'organization: false' : null
}

function property(object: Node | undefined, name: string): Node | undefined {
  const properties = object?.type === 'ObjectExpression' ? (object['properties'] as Node[]) : []
  return properties.find((each) => each.type === 'Property' && readName(each['key']) === name)?.['value'] as Node | undefined
}

function literal(node: Node | null | undefined, texts: ReadonlyMap<string, string>): string | null {
  if (node?.type === 'Literal' && typeof node['value'] === 'string') return node['value']
  return node?.type === 'Identifier' ? (texts.get(readName(node)) ?? null) : null
}

import { parseSource, walk, type Node } from '../syntax-tree.ts'

/** A statement that a module runs. */
export interface StatementUse {
  line: number
  /** Expression of its text. */
  text: string
  /** Whether it runs in the scope of a caller. */
  isScoped: boolean
  /** Type of its rows; null if none is declared. */
  row: Node | null
}

const runners = new Set(['sql', 'systemSql', 'statement'])

/** Finds the calls that run a named statement, and the statements that a module compiles. A choice between two texts is two statements. */
export function findStatements(file: string, source: string): StatementUse[] {
  const uses: StatementUse[] = []
  walk(parseSource(file, source), (node) => {
    if (node.type !== 'CallExpression') return
    const [, text, values] = node['arguments'] as Node[]
    const callee = readCallee(node['callee'] as Node)
    // A function `execute` with fewer arguments takes a compiled statement.
    if (!text || !(runners.has(callee) || (callee === 'execute' && values))) return
    const row = ((node['typeArguments'] as { params?: Node[] } | null)?.params ?? [])[0] ?? null
    const choices = text.type === 'ConditionalExpression' ? [text['consequent'] as Node, text['alternate'] as Node] : [text]
    const line = source.slice(0, node.start).split('\n').length
    for (const { start, end } of choices) uses.push({ line, text: source.slice(start, end), isScoped: callee === 'sql', row })
  })
  return uses
}

/** Name of the global function that instrumented modules call for each statement. */
export const collectorName = '__collectStatement'

/**
 * Appends code that passes the text of each statement to the collector when the module is loaded, or null for a text that only exists
 * inside of a function.
 */
export function instrument(file: string, source: string): string {
  const calls = findStatements(file, source).map(
    ({ text }, index) => `
    try { collect(import.meta.url, ${index}, ${text}) } catch { collect(import.meta.url, ${index}, null) }`,
  )
  return calls.length === 0 ? source : `${source}\n{ const collect = globalThis.${collectorName}; if (collect) { ${calls.join('')} } }\n`
}

function readCallee(callee: Node): string {
  const named = callee.type === 'MemberExpression' ? (callee['property'] as Node) : callee
  return typeof named['name'] === 'string' ? named['name'] : ''
}

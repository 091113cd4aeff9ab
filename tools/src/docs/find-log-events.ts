import { parseSource, readName, walk, type Node } from '../syntax-tree.ts'
import type { Checkout } from './find-broken-references.ts'

/** Page with a row for each log event. */
const page = 'docs/logs.md'

const levels = /^(trace|debug|info|warn|error|fatal)$/
const eventName = /^[a-z-]+\.[a-z-]+$/

/**
 * Returns the names of the events that a module logs: the last argument of a method of a `log`, names that it passes as `failure` or `failed`
 * to a function that logs, and lines that it writes itself. `*` replaces a part that is computed.
 */
export function findLogEvents(file: string, source: string): string[] {
  const found: string[] = []
  walk(parseSource(file, source), (node) => {
    if (node.type === 'CallExpression' && isLogMethod(node['callee'] as Node))
      found.push(...readTexts((node['arguments'] as Node[]).at(-1)))
    if (node.type === 'Property' && /^(failure|failed)$/.test(readName(node['key']))) found.push(...readNames(node['value'] as Node))
    if (node.type === 'ObjectExpression') found.push(...readLine(node))
  })
  return found
}

/** Compares the page of the log events with the sources. Returns the events without a row, and the rows of events that nothing logs. */
export function findUndocumentedEvents({ files, read }: Checkout): string[] {
  if (!files.includes(page)) return []
  const rows = [...read(page).matchAll(/^\| (`[^|]+`) +\|/gm)].flatMap(([, cell]) => (cell ?? '').match(/[\w.‹›-]+/g) ?? [])
  const sources = files.filter(
    (file) => /^(services|packages|tools)\/[\w-]+\/(src\/)?.*\.ts$/.test(file) && !/\.test\.ts$|\/testing\//.test(file),
  )
  const logged = new Map(sources.flatMap((file) => findLogEvents(file, read(file)).map((event) => [event, file] as const)))
  const matchesRow = (event: string, row: string) => toPattern(event).test(row)
  return [
    ...[...logged]
      .filter(([event]) => !rows.some((row) => matchesRow(event, row)))
      .map(([event, file]) => `${page}: no row for ${event} of ${file}`),
    ...rows.filter((row) => ![...logged.keys()].some((event) => matchesRow(event, row))).map((row) => `${page}: nothing logs ${row}`),
  ]
}

/** A line that is written without a logger. */
function readLine({ properties }: Node): string[] {
  const values = new Map((properties as Node[]).map((each) => [readName(each['key']), each['value'] as Node]))
  return values.has('level') ? readNames(values.get('event')) : []
}

const readNames = (node: Node | undefined) => readTexts(node).filter((text) => eventName.test(text))

const toPattern = (event: string) => new RegExp(`^${event.replaceAll('.', String.raw`\.`).replaceAll('*', '.+')}$`)

function isLogMethod(callee: Node): boolean {
  if (callee.type !== 'MemberExpression') return false
  const object = callee['object'] as Node
  const name = readName(object) || readName(object['property'])
  return /^(log|logger)$/.test(name) && (callee['computed'] === true || levels.test(readName(callee['property'])))
}

function readTexts(node: Node | undefined): string[] {
  if (node?.type === 'Literal' && typeof node['value'] === 'string') return [node['value']]
  if (node?.type === 'ConditionalExpression') return [...readTexts(node['consequent'] as Node), ...readTexts(node['alternate'] as Node)]
  if (node?.type !== 'TemplateLiteral') return []
  return [(node['quasis'] as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join('*')]
}

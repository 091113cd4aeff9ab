import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Operation } from '@quittance/contracts/operation'
import { events, operations } from '@quittance/contracts/registry'
import type { ServiceName } from '@quittance/contracts/services'
import { durableConsumers } from '@quittance/contracts/streams'
import { parseSource, readName, walk, type Node } from '../syntax-tree.ts'
import { markdownTable } from './markdown-table.ts'

/**
 * Table of the operations of a service: subject with a link to the file of its handler, HTTP route, scopes, errors that it declares. Null if it
 * has none.
 */
export async function operationsTable(root: string, service: ServiceName): Promise<string | null> {
  const own = operations.filter(({ subject }) => subject.startsWith(`${service}.`))
  if (own.length === 0) return null
  const handlerFiles = await findHandlerFiles(join(root, 'services', service))
  const rows = own.map(({ subject, http, errors, summary }) => {
    const route = http ? `\`${http.method} ${http.path}\`` : 'NATS only'
    const own = errors.map((error) => `\`${error.name}\``)
    const file = handlerFiles.get(subject)
    return [file ? `[\`${subject}\`](${file})` : `\`${subject}\``, summary, route, describeAccess(http), own.join(', ') || '–']
  })
  return markdownTable(['operation', 'summary', 'route', 'scope', 'errors'], rows)
}

/** Table of the events that a service publishes and consumes. Null if there are none. */
export function eventsTable(service: ServiceName): string | null {
  const published = events.filter(({ publisher }) => publisher === service)
  const consumed = Object.values(durableConsumers).filter((consumer) => consumer.service === service)
  const rows = [
    ...consumed.map(({ subject, durable }) => ['consumes', `\`${subject}\``, `durable consumer \`${durable}\``]),
    ...published.map(({ subject, summary, webhookType }) => [
      'publishes',
      `\`${subject}\``,
      `${summary}${webhookType ? '' : ' (internal)'}`,
    ]),
  ]
  return rows.length === 0 ? null : markdownTable(['', 'subject', 'meaning'], rows)
}

const handlerKinds = /^(query|command|staged|systemQuery|systemCommand|systemStaged)$/

/** Returns the file with the handler of each operation, by subject, relative to the folder of the service. */
async function findHandlerFiles(folder: string): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  for (const file of globSync('src/**/*.ts', { cwd: folder }).filter((each) => !each.endsWith('.test.ts'))) {
    const { imports, handled } = readHandlers(file, readFileSync(join(folder, file), 'utf8'))
    for (const { module, name } of handled.flatMap((local) => imports.get(local) ?? [])) {
      const contract = ((await import(module)) as Record<string, Operation>)[name]
      if (contract) files.set(contract.subject, file)
    }
  }
  return files
}

/** Returns the contracts that a module imports, by their names in it, and those names that it defines handlers for. */
function readHandlers(file: string, source: string) {
  const imports = new Map<string, { module: string; name: string }>()
  const handled: string[] = []
  walk(parseSource(file, source), (node) => {
    const module = node.type === 'ImportDeclaration' ? String((node['source'] as Node)['value']) : ''
    if (module.startsWith('@quittance/contracts/'))
      for (const { local, imported } of node['specifiers'] as Node[]) imports.set(readName(local), { module, name: readName(imported) })
    if (node.type === 'CallExpression' && handlerKinds.test(readName(node['callee'])))
      handled.push(readName((node['arguments'] as Node[])[0]))
  })
  return { imports, handled }
}

function describeAccess(http: Operation['http']): string {
  if (!http) return '–'
  if (http.scopes.length > 0) return http.scopes.map((scope) => `\`${scope}\``).join(' or ')
  return http.callers.includes('anonymous') ? 'none' : `any ${http.callers.join(' or ')}`
}

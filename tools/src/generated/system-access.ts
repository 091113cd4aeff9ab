import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findSystemAccess } from '../structure/find-system-access.ts'
import { markdownTable } from './markdown-table.ts'

/** Table of what reaches rows of all organizations: declared operations and components with their reasons, jobs and batch consumers. */
export function systemAccessTable(root: string): string {
  const files = globSync(['services/*/src/**/*.ts', 'packages/runtime/src/messaging/dead-letters.ts'], { cwd: root })
  const declared = files
    .filter((file) => !/\.test\.ts$|\/migrations\//.test(file))
    .toSorted((a, b) => a.localeCompare(b, 'en'))
    .flatMap((file) => findSystemAccess(file, readFileSync(join(root, file), 'utf8')).declared)
  const kinds = ['operation', 'component', 'batch consumer', 'job']
  const rows = declared
    .toSorted((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind))
    .map(({ kind, name, file, reason }) => [kind, `\`${name}\``, `\`${file}\``, reason ?? ''])
  // The handlers of dead letters are made in one function for every service.
  const distinct = [...new Map(rows.map((row) => [row.join('|'), row])).values()]
  return markdownTable(['kind', 'name', 'file', 'reason'], distinct)
}

import { globSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { markdownTable } from './markdown-table.ts'

interface UnscopedView {
  name: string
  from: string
  unscopedReason: string
}

/** Table of the views that are not limited to an organization, with the reason each gives. */
export async function unscopedViewsTable(root: string): Promise<string> {
  const files = globSync('services/*/src/**/*-view.ts', { cwd: root }).toSorted((a, b) => a.localeCompare(b, 'en'))
  const rows: string[][] = []
  for (const file of files) {
    const exports = (await import(pathToFileURL(join(root, file)).href)) as Record<string, unknown>
    for (const view of Object.values(exports).filter(isUnscoped)) rows.push([`\`${view.name}\``, `\`${file}\``, view.unscopedReason])
  }
  return markdownTable(['view', 'file', 'reason'], rows)
}

function isUnscoped(value: unknown): value is UnscopedView {
  return typeof value === 'object' && value !== null && 'unscopedReason' in value && 'from' in value && 'name' in value
}

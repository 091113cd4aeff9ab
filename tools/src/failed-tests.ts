import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

/** Vitest lists its failures behind one of these headings, at the end of what it prints. */
const heading = /Failed (?:Tests|Suites)|Unhandled Errors?/

/**
 * The failures of a turbo task, from the logs that turbo writes into each workspace: what vitest printed from its first list of failures on.
 * A run of all workspaces prints thousands of lines after a failure. `since` is in milliseconds; older logs are of earlier runs.
 */
export function failedTests(root: string, task: string, since: number): { readonly workspace: string; readonly failures: string }[] {
  const file = `.turbo/turbo-${task.replaceAll(':', '$colon$')}.log`
  return globSync(['packages/*', 'services/*', 'tools', 'e2e', 'bench'], { cwd: root }).flatMap((workspace) => {
    const log = join(root, workspace, file)
    if (!existsSync(log) || statSync(log).mtimeMs < since) return []
    const lines = stripVTControlCharacters(readFileSync(log, 'utf8')).split('\n')
    const first = lines.findIndex((line) => heading.test(line) && line.includes('⎯'))
    return first < 0 ? [] : [{ workspace, failures: lines.slice(first).join('\n') }]
  })
}

import { spawn } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { resolveProgram } from './resolve-program.ts'

const root = join(import.meta.dirname, '../..')

/** No command of this repository reports its use. */
export const turboEnvironment = { TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' }

/** Runs turbo at the top of the checkout and returns its exit code. A stop signal is passed on: turbo stops its tasks. */
export function runTurbo(args: readonly string[]): Promise<number> {
  recordPlatform()
  const child = spawn(resolveProgram('turbo'), args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...turboEnvironment } })
  const pass = (signal: NodeJS.Signals) => void child.kill(signal)
  const signals = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const
  for (const signal of signals) process.on(signal, pass)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      for (const each of signals) process.off(each, pass)
      resolve(code ?? 128 + constants.signals[signal as NodeJS.Signals])
    })
  })
}

/** A result holds for one version of Node on one platform: `turbo.json` has this file among its global dependencies. */
function recordPlatform(): void {
  const file = join(root, '.turbo/platform')
  const platform = `${process.platform} ${process.arch} ${process.version}\n`
  if (existsSync(file) && readFileSync(file, 'utf8') === platform) return
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, platform)
}

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

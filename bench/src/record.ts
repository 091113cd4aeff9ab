import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { replaceResult } from './results-page.ts'
import type { Findings } from './scenario.ts'

const folder = join(import.meta.dirname, '..')

/** What was measured, and on which machine; without it the figures mean nothing. */
export interface Origin {
  commit: string
  machine: string
}

/** Describes commit and machine. Call it before the run: another commit may be checked out at its end. */
export function describeOrigin(): Origin {
  return { commit: commit(), machine: machine() }
}

function machine(): string {
  const [cpu] = cpus()
  const memory = Math.round(totalmem() / 2 ** 30)
  const load = loadavg()[0]?.toFixed(1)
  return `${cpus().length} × ${cpu?.model.trim()}, ${memory} GiB, Linux ${release()}, Node ${process.versions.node}, load ${load} before the run`
}

/** Records the findings of a run in RESULTS.md, each in place of the previous run of its scenario, which moves to `history/`. */
export function record(findings: readonly Findings[], { command, commit, machine }: Origin & { command: string }): void {
  const date = `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC`
  const facts = [`- date: ${date}`, `- command: \`${command}\``, `- commit: ${commit}`, `- machine: ${machine}`].join('\n')
  const file = join(folder, 'RESULTS.md')
  for (const { text } of findings) {
    const { page, replaced } = replaceResult(readFileSync(file, 'utf8'), { facts, text })
    writeFileSync(file, page)
    if (replaced) appendToHistory(replaced)
  }
}

/** Appends a run to the history of its month. */
function appendToHistory({ date, section }: { date: string; section: string }): void {
  const file = join(folder, 'history', `${date.slice(0, 7)}.md`)
  const page = existsSync(file) ? readFileSync(file, 'utf8') : `# Results of ${date.slice(0, 7)}\n`
  writeFileSync(file, `${page.trimEnd()}\n\n${section.trimEnd()}\n`)
}

function commit(): string {
  try {
    const git = (...args: string[]) =>
      execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
    return `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain', '--untracked-files=no') ? ' with changes' : ''}`
  } catch {
    return 'unknown'
  }
}

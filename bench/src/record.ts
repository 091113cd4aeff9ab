import { execFileSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { cpus, loadavg, release, totalmem } from 'node:os'
import { join } from 'node:path'
import type { Findings } from './scenario.ts'

const file = join(import.meta.dirname, '../RESULTS.md')

/** What was measured and on what; without it figures say nothing. */
export interface Origin {
  commit: string
  machine: string
}

/** To be called before the run: the checkout may be another one at its end. */
export function describeOrigin(): Origin {
  return { commit: commit(), machine: machine() }
}

function machine(): string {
  const [cpu] = cpus()
  const memory = Math.round(totalmem() / 2 ** 30)
  const load = loadavg()[0]?.toFixed(1)
  return `${cpus().length} × ${cpu?.model.trim()}, ${memory} GiB, Linux ${release()}, Node ${process.versions.node}, load ${load} before the run`
}

/** Appends the findings of a run to the record. */
export function record(findings: readonly Findings[], { command, commit, machine }: Origin & { command: string }): void {
  const facts = [`- command: \`${command}\``, `- commit: ${commit}`, `- machine: ${machine}`]
  const sections = findings.map(({ text }) => `${text}\n`)
  appendFileSync(
    file,
    `\n## ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC\n\n${facts.join('\n')}\n\n${sections.join('\n')}`,
  )
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

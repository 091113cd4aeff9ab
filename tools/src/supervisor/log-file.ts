import { appendFileSync, copyFileSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { ProgressReporter } from '@quittance/testing/engines/engine'

/** Size at which a log is replaced; one earlier log of about this size is kept beside it (`….log.1`). */
export const maxLogBytes = 20 * 1024 * 1024

/** Time between two checks of the logs that engines write themselves. */
const engineCheckMs = 60_000

export interface LogFile {
  /** Never throws: lines that cannot be written are dropped, and the next ones are tried again. */
  write(line: string): void
}

interface LogFileOptions {
  /** Receives the reason once when lines are dropped, until a line can be written again. */
  report: ProgressReporter
  maxBytes?: number
}

/** Opens a log of a service. Its size is limited while it is written. */
export function openLogFile(path: string, { report, maxBytes = maxLogBytes }: LogFileOptions): LogFile {
  let pending: string[] = []
  let dropped = 0
  const flush = () => {
    const lines = pending
    pending = []
    try {
      rotateLog(path, maxBytes)
      // A full disk may have cut off the last line.
      const start =
        dropped === 0 ? [] : ['', JSON.stringify({ level: 'warn', time: new Date(), event: 'log.lines-dropped', lines: dropped })]
      appendFileSync(path, `${[...start, ...lines].join('\n')}\n`, { mode: 0o600 })
      dropped = 0
    } catch (error) {
      if (dropped === 0) report(`${basename(path)} cannot be written, lines are dropped: ${(error as Error).message}`)
      dropped += lines.length
    }
  }
  return {
    write(line) {
      // One write for all lines that arrived together.
      if (pending.length === 0) queueMicrotask(flush)
      pending.push(line)
    },
  }
}

/** Renames a log that is too large; its writer opens the path again. */
export function rotateLog(path: string, maxBytes = maxLogBytes): void {
  if (readSize(path) > maxBytes) renameSync(path, `${path}.1`)
}

/** Limits the logs of PostgreSQL and NATS in a data folder until the returned function is called. A log that cannot be cut grows. */
export function limitEngineLogs(folder: string, report: ProgressReporter): () => void {
  const check = () => {
    for (const name of ['postgres.log', 'nats.log']) {
      try {
        cutLog(join(folder, name), maxLogBytes)
      } catch (error) {
        report(`${name} cannot be shortened: ${(error as Error).message}`)
      }
    }
  }
  check()
  const timer = setInterval(check, engineCheckMs).unref()
  return () => clearInterval(timer)
}

/** Copies a log that is too large, and empties it: its writer keeps it open and appends. On a full disk it is emptied without a copy. */
export function cutLog(path: string, maxBytes: number): void {
  if (readSize(path) <= maxBytes) return
  try {
    copyFileSync(path, `${path}.1`)
  } catch {
    rmSync(`${path}.1`, { force: true })
  }
  truncateSync(path)
}

function readSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

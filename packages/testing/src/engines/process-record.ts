/** Records on disk which processes a data folder owns, so that processes left by a killed run are found and stopped. */
import { execFileSync } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

interface ProcessInfo {
  /** Start time: distinguishes a process from a later one with the same id. */
  startedAt: string
  command: string
}

/** Returns what the operating system knows of a running process; null if it has ended (including zombies). */
export function findProcess(pid: number): ProcessInfo | null {
  try {
    return process.platform === 'linux' ? fromProc(pid) : fromPs(pid)
  } catch {
    return null
  }
}

function fromProc(pid: number): ProcessInfo | null {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (fields[0] === 'Z' || fields[0] === 'X') return null
  const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
  return { startedAt: fields[19] ?? '', command }
}

function fromPs(pid: number): ProcessInfo | null {
  const readColumn = (column: string) => execFileSync('ps', ['-ww', '-o', `${column}=`, '-p', String(pid)], { encoding: 'utf8' }).trim()
  return readColumn('stat').startsWith('Z') ? null : { startedAt: readColumn('lstart'), command: readColumn('command') }
}

export function recordProcess(file: string, pid: number): void {
  writeFileSync(file, `${pid}\n${findProcess(pid)?.startedAt ?? ''}`, { mode: 0o600 })
}

/** Returns the recorded process if it is still the same one. A record that a full disk has cut off names no process. */
export function recordedProcess(file: string): number | null {
  try {
    return parseRecord(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}

function parseRecord(text: string): number | null {
  const [pid, startedAt] = text.split('\n')
  // Without both lines, a process that does not exist would be the same one.
  return startedAt && findProcess(Number(pid))?.startedAt === startedAt ? Number(pid) : null
}

/**
 * Locks a file for this process. Returns null once it is locked, and otherwise the process that holds it or is about to.
 *
 * Only one process may replace the record of an ended one: the one that holds a second lock, which is named after that record. Without it, a
 * process that has read the old record could remove the new one of another process. The second lock is taken over in the same way.
 */
export function lockFile(file: string): number | null {
  const own = `${file}.${randomUUID()}.tmp`
  recordProcess(own, process.pid)
  try {
    return replaceEndedRecord(file, own)
  } finally {
    rmSync(own, { force: true })
  }
}

function replaceEndedRecord(file: string, own: string): number | null {
  for (;;) {
    if (tryToLink(own, file)) return null
    const text = readRecord(file)
    // Released between the two.
    if (text === null) continue
    const holder = parseRecord(text)
    if (holder !== null) return holder
    const second = `${file}.after-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`
    const other = lockFile(second)
    if (other !== null) return other
    try {
      // Another process may have replaced the record before the second lock was taken.
      if (readRecord(file) !== text) continue
      renameSync(own, file)
      return null
    } finally {
      rmSync(second, { force: true })
    }
  }
}

function readRecord(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Creates a file with its content in one step; returns whether it did not exist. */
function tryToLink(existing: string, file: string): boolean {
  try {
    linkSync(existing, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

interface StopOptions {
  /** Signal of a graceful stop. */
  signal: NodeJS.Signals
  /** Maximum duration of a graceful stop before the process is killed. */
  timeoutMs: number
}

/** Stops a process that is not a child of this one. */
export async function stopProcess(pid: number, { signal, timeoutMs }: StopOptions): Promise<void> {
  const startedAt = findProcess(pid)?.startedAt
  if (startedAt === undefined) return
  const isGone = () => findProcess(pid)?.startedAt !== startedAt
  sendSignal(pid, signal)
  for (let waited = 0; waited < timeoutMs && !isGone(); waited += 25) await delay(25)
  if (isGone()) return
  sendSignal(pid, 'SIGKILL')
  while (!isGone()) await delay(25)
}

/** Stops the recorded process if it is running; returns whether it was. */
export async function stopRecordedProcess(file: string, options: StopOptions): Promise<boolean> {
  const pid = recordedProcess(file)
  if (pid) await stopProcess(pid, options)
  rmSync(file, { force: true })
  return pid !== null
}

export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // Already ended.
  }
}

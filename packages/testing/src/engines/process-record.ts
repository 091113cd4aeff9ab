/** Records on disk which processes a data folder owns, so that processes left by a killed run are found and stopped. */
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
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

/** Returns the recorded process if it is still the same one. */
export function recordedProcess(file: string): number | null {
  try {
    const [pid, startedAt] = readFileSync(file, 'utf8').split('\n')
    return findProcess(Number(pid))?.startedAt === startedAt ? Number(pid) : null
  } catch {
    return null
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

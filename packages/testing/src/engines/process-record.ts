/** Remembers on disk which processes a data folder owns, so that what a killed run left behind is found and stopped. */
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

interface ProcessFacts {
  /** Time of start: tells a process from a later one with the same number. */
  startedAt: string
  command: string
}

/** What the operating system knows of a running process; null when it is gone (a zombie counts as gone). */
export function findProcess(pid: number): ProcessFacts | null {
  try {
    return process.platform === 'linux' ? fromProc(pid) : fromPs(pid)
  } catch {
    return null
  }
}

function fromProc(pid: number): ProcessFacts | null {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (fields[0] === 'Z' || fields[0] === 'X') return null
  const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
  return { startedAt: fields[19] ?? '', command }
}

function fromPs(pid: number): ProcessFacts | null {
  const ask = (column: string) => execFileSync('ps', ['-ww', '-o', `${column}=`, '-p', String(pid)], { encoding: 'utf8' }).trim()
  return ask('stat').startsWith('Z') ? null : { startedAt: ask('lstart'), command: ask('command') }
}

export function recordProcess(file: string, pid: number): void {
  writeFileSync(file, `${pid}\n${findProcess(pid)?.startedAt ?? ''}`, { mode: 0o600 })
}

/** The recorded process, when it still is the same one. */
export function recordedProcess(file: string): number | null {
  try {
    const [pid, startedAt] = readFileSync(file, 'utf8').split('\n')
    return findProcess(Number(pid))?.startedAt === startedAt ? Number(pid) : null
  } catch {
    return null
  }
}

interface Leftover {
  /** Signal of a clean stop. */
  signal: NodeJS.Signals
  /** How long a clean stop may take before the process is killed. */
  patienceMs: number
}

/** Ends a process that is not our child. */
export async function endProcess(pid: number, { signal, patienceMs }: Leftover): Promise<void> {
  const startedAt = findProcess(pid)?.startedAt
  const isGone = () => findProcess(pid)?.startedAt !== startedAt
  sendSignal(pid, signal)
  for (let waited = 0; waited < patienceMs && !isGone(); waited += 25) await delay(25)
  if (isGone()) return
  sendSignal(pid, 'SIGKILL')
  while (!isGone()) await delay(25)
}

/** Ends the recorded process when it is still there; says whether it was. */
export async function endRecorded(file: string, how: Leftover): Promise<boolean> {
  const pid = recordedProcess(file)
  if (pid) await endProcess(pid, how)
  rmSync(file, { force: true })
  return pid !== null
}

export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // Already gone.
  }
}

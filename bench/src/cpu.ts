/** CPU time of processes, as Linux counts it in /proc. */
import { readdirSync, readFileSync } from 'node:fs'

interface ProcessTimes {
  parent: number
  cpuMs: number
}

/** All processes of the machine at one moment. */
export type ProcessTable = ReadonlyMap<number, ProcessTimes>

/** Two moments; the CPU time used between them is measured. */
export interface Span {
  before: ProcessTable
  after: ProcessTable
}

/** /proc counts in hundredths of a second on every architecture Node runs on. */
const msPerTick = 10

export function readProcesses(): ProcessTable {
  const table = new Map<number, ProcessTimes>()
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry)
    const times = pid > 0 ? readTimes(pid) : null
    if (times) table.set(pid, times)
  }
  return table
}

/** Reads user and system time of all threads of the process and of the children it has waited for. */
function readTimes(pid: number): ProcessTimes | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may contain anything; the fields after it are numbered from 3 in proc(5).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const field = (number: number) => Number(fields[number - 3])
    return { parent: field(4), cpuMs: (field(14) + field(15) + field(16) + field(17)) * msPerTick }
  } catch {
    return null
  }
}

/** Returns the CPU time of one process. */
export function processCpuMs({ before, after }: Span, pid: number): number {
  return (after.get(pid)?.cpuMs ?? 0) - (before.get(pid)?.cpuMs ?? 0)
}

/**
 * Returns the CPU time of a process and its descendants. A child that ended in between is counted at its parent, which has waited for it.
 */
export function treeCpuMs({ before, after }: Span, root: number): number {
  return treeTotalMs(after, root) - treeTotalMs(before, root)
}

function treeTotalMs(table: ProcessTable, root: number): number {
  return descendants(table, root).reduce((sum, pid) => sum + (table.get(pid)?.cpuMs ?? 0), 0)
}

/** Returns the process and its descendants. */
export function descendants(table: ProcessTable, root: number): number[] {
  return [...table.keys()].filter((pid) => isBelow(table, { pid, root }))
}

function isBelow(table: ProcessTable, { pid, root }: { pid: number; root: number }): boolean {
  for (let current: number | undefined = pid; current; current = table.get(current)?.parent) if (current === root) return true
  return false
}

/** Returns the CPU time of a PostgreSQL server without the sessions on databases that are not listed. */
export function postgresCpuMs(span: Span, { root, databases }: { root: number; databases: readonly string[] }): number {
  let sum = treeCpuMs(span, root)
  for (const [pid, { parent }] of span.after) {
    if (parent !== root) continue
    const database = sessionDatabase(pid)
    if (database && !databases.includes(database)) sum -= processCpuMs(span, pid)
  }
  return sum
}

/**
 * Reads the database from a session's process title, `postgres: ‹user› ‹database› ‹address› ‹state›`; the server's helper processes have no
 * address.
 */
function sessionDatabase(pid: number): string | null {
  try {
    const title = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    return /^postgres: \S+ (\S+) [\d.]+\(\d+\)/.exec(title)?.[1] ?? null
  } catch {
    return null
  }
}

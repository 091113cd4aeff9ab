/** CPU time of processes as Linux counts it in /proc. */
import { readdirSync, readFileSync } from 'node:fs'

interface ProcessTimes {
  parent: number
  cpuMs: number
}

/** All processes of the machine at one moment. */
export type ProcessTable = ReadonlyMap<number, ProcessTimes>

/** Two moments; what was used in between is asked for. */
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

/** All threads of the process together, user and system, and the children it has waited for. */
function readTimes(pid: number): ProcessTimes | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may hold anything; the fields after it are numbered from 3 in proc(5).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const field = (number: number) => Number(fields[number - 3])
    return { parent: field(4), cpuMs: (field(14) + field(15) + field(16) + field(17)) * msPerTick }
  } catch {
    return null
  }
}

/** CPU of one process. */
export function processCpuMs({ before, after }: Span, pid: number): number {
  return (after.get(pid)?.cpuMs ?? 0) - (before.get(pid)?.cpuMs ?? 0)
}

/** CPU of a process and of everything below it. A child that ended meanwhile is counted at its parent, who has waited for it. */
export function treeCpuMs({ before, after }: Span, root: number): number {
  return treeTotalMs(after, root) - treeTotalMs(before, root)
}

function treeTotalMs(table: ProcessTable, root: number): number {
  return belowOf(table, root).reduce((sum, pid) => sum + (table.get(pid)?.cpuMs ?? 0), 0)
}

/** The process and everything below it. */
export function belowOf(table: ProcessTable, root: number): number[] {
  return [...table.keys()].filter((pid) => isBelow(table, { pid, root }))
}

function isBelow(table: ProcessTable, { pid, root }: { pid: number; root: number }): boolean {
  for (let current: number | undefined = pid; current; current = table.get(current)?.parent) if (current === root) return true
  return false
}

/** CPU of a PostgreSQL server without the sessions on other databases than the given ones. */
export function postgresCpuMs(span: Span, { root, databases }: { root: number; databases: readonly string[] }): number {
  let sum = treeCpuMs(span, root)
  for (const [pid, { parent }] of span.after) {
    if (parent !== root) continue
    const database = sessionDatabase(pid)
    if (database && !databases.includes(database)) sum -= processCpuMs(span, pid)
  }
  return sum
}

/** A session calls itself `postgres: ‹user› ‹database› ‹address› ‹state›`; the server's own helpers have no address. */
function sessionDatabase(pid: number): string | null {
  try {
    const title = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    return /^postgres: \S+ (\S+) [\d.]+\(\d+\)/.exec(title)?.[1] ?? null
  } catch {
    return null
  }
}

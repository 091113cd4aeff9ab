/** Memory of processes, as Linux counts it in /proc. */
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { descendants, readProcesses } from './cpu.ts'

const sampleEveryMs = 250

/** Returns the bytes used by a process and its descendants. Shared memory is counted once and divided between its users (`Pss`). */
export function treeMemory(root: number): number {
  return descendants(readProcesses(), root).reduce((sum, pid) => sum + readMemory(pid), 0)
}

function readMemory(pid: number): number {
  try {
    const [, kibibytes] = /^Pss: +(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? []
    return Number(kibibytes) * 1024
  } catch {
    // The process has ended in the meantime.
    return 0
  }
}

/** Returns the maximum of all samples taken until the work is done. */
export async function sampleMaximum(sample: () => number, work: Promise<unknown>): Promise<number> {
  let done = false
  const ending = work.finally(() => (done = true))
  let maximum = 0
  while (!done) {
    maximum = Math.max(maximum, sample())
    await delay(sampleEveryMs)
  }
  await ending
  return maximum
}

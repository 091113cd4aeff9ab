/** Memory of processes as Linux counts it in /proc. */
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { belowOf, readProcesses } from './cpu.ts'

const sampleEveryMs = 250

/** Bytes that a process and everything below it hold. What several share is counted once, each has its part of it (`Pss`). */
export function treeMemory(root: number): number {
  return belowOf(readProcesses(), root).reduce((sum, pid) => sum + memoryOf(pid), 0)
}

function memoryOf(pid: number): number {
  try {
    const [, kibibytes] = /^Pss: +(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? []
    return Number(kibibytes) * 1024
  } catch {
    // It has ended meanwhile.
    return 0
  }
}

/** The most that was seen at any look until the work was done. */
export async function mostOf(look: () => number, work: Promise<unknown>): Promise<number> {
  let done = false
  const ending = work.finally(() => (done = true))
  let most = 0
  while (!done) {
    most = Math.max(most, look())
    await delay(sampleEveryMs)
  }
  await ending
  return most
}

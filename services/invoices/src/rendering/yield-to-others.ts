import { writeFile } from 'node:fs/promises'

/**
 * As of nice(1): whoever answers a request goes first. A third of the usual weight, so that a document is not late where others want
 * all there is for minutes.
 */
const niceness = 5

/**
 * Lets a session of processes wait for others; what nobody else wants they use whole. Linux shares processors out among sessions first
 * (autogroups), so that the niceness of each process in it says nothing to those outside. Elsewhere this changes nothing, nor in a
 * container, which has a weight of its own.
 */
export async function yieldToOthers(leader: number): Promise<void> {
  await writeFile(`/proc/${leader}/autogroup`, String(niceness)).catch(() => {})
}

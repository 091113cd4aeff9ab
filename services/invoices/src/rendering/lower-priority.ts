import { writeFile } from 'node:fs/promises'

/**
 * Niceness as of nice(1): processes that serve requests have priority. The weight is a third of the default, so documents are not delayed
 * if others use all CPU time for minutes.
 */
const niceness = 5

/**
 * Lowers the priority of a session of processes; idle CPU time remains fully usable. Linux distributes CPU time among sessions first
 * (autogroups), so the niceness of single processes has no effect outside their session. Has no effect on other systems, nor in a
 * container, which has its own weight.
 */
export async function lowerProcessPriority(leader: number): Promise<void> {
  await writeFile(`/proc/${leader}/autogroup`, String(niceness)).catch(() => {})
}

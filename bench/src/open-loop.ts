import { setTimeout as delay } from 'node:timers/promises'
import type { LoadResult } from './load.ts'
import { startTally } from './tally.ts'

interface Loop {
  seconds: number
  perSecond: number
  /** Asks once; gives the size of the answer, throws when it is not the expected one. */
  ask(number: number): Promise<number>
}

/**
 * Requests at a fixed rate, whatever becomes of those before. Each is timed from the moment it was due: one that could not be sent in
 * time because others were slow has waited, and that is part of its latency.
 */
export async function openLoop({ seconds, perSecond, ask }: Loop): Promise<LoadResult> {
  const tally = startTally()
  const running = new Set<Promise<void>>()

  for (let sent = 0; sent < seconds * perSecond;) {
    const due = ((performance.now() - tally.started) / 1000) * perSecond
    for (; sent <= due && sent < seconds * perSecond; sent += 1) {
      const number = sent
      const work = tally.time(tally.started + (number * 1000) / perSecond, () => ask(number)).finally(() => running.delete(work))
      running.add(work)
    }
    // Never a busy wait: on a small machine that would take the time away from what is measured.
    await delay(1)
  }
  await Promise.all(running)
  return tally.result()
}

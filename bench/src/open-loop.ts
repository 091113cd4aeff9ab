import { setTimeout as delay } from 'node:timers/promises'
import type { LoadResult } from './load.ts'
import { startCounter } from './result-counter.ts'

interface Loop {
  seconds: number
  perSecond: number
  /** Sends one request; returns the size of the reply, throws on an unexpected one. */
  sendRequest(number: number): Promise<number>
}

/**
 * Runs an open loop: sends requests at a fixed rate, regardless of earlier ones. Each is timed from the moment it was due: if it could not
 * be sent in time because others were slow, the wait is part of its latency.
 */
export async function openLoop({ seconds, perSecond, sendRequest }: Loop): Promise<LoadResult> {
  const counter = startCounter()
  const running = new Set<Promise<void>>()

  for (let sent = 0; sent < seconds * perSecond;) {
    const due = ((performance.now() - counter.started) / 1000) * perSecond
    for (; sent <= due && sent < seconds * perSecond; sent += 1) {
      const number = sent
      const work = counter
        .time(counter.started + (number * 1000) / perSecond, () => sendRequest(number))
        .finally(() => running.delete(work))
      running.add(work)
    }
    // Never a busy wait: on a small machine it would take CPU time from the system under test.
    await delay(1)
  }
  await Promise.all(running)
  return counter.result()
}

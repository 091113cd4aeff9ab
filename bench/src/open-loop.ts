import { setTimeout as delay } from 'node:timers/promises'
import type { LoadResult } from './load.ts'
import { quantile } from './statistics.ts'

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
  const latencies: number[] = []
  const result = { errors: 0, firstError: null as string | null, bytes: 0 }
  const running = new Set<Promise<void>>()
  const started = performance.now()

  async function one(number: number): Promise<void> {
    const due = started + (number * 1000) / perSecond
    try {
      result.bytes += await ask(number)
      latencies.push(performance.now() - due)
    } catch (error) {
      result.errors += 1
      result.firstError ??= (error as Error).message
    }
  }

  for (let sent = 0; sent < seconds * perSecond;) {
    const due = ((performance.now() - started) / 1000) * perSecond
    for (; sent <= due && sent < seconds * perSecond; sent += 1) {
      const work = one(sent).finally(() => running.delete(work))
      running.add(work)
    }
    // Never a busy wait: on a small machine that would take the time away from what is measured.
    await delay(1)
  }
  await Promise.all(running)
  const { bytes, ...counted } = result
  return {
    ...counted,
    answered: latencies.length,
    seconds: (performance.now() - started) / 1000,
    meanBytes: bytes / latencies.length,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
  }
}

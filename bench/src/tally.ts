import type { LoadResult } from './load.ts'
import { quantile } from './statistics.ts'

/** What came of the requests of a run that has begun. */
export interface Tally {
  /** As `performance.now()`. */
  started: number
  answered(): number
  /** Times one request since `from`; `ask` gives the size of the answer and throws when it is not the expected one. */
  time(from: number, ask: () => Promise<number>): Promise<void>
  result(): LoadResult
}

export function startTally(): Tally {
  const latencies: number[] = []
  const seen = { errors: 0, firstError: null as string | null, bytes: 0 }
  const started = performance.now()
  return {
    started,
    answered: () => latencies.length,
    async time(from, ask) {
      try {
        // Not in one step with the waiting: what others add meanwhile would be lost.
        const bytes = await ask()
        seen.bytes += bytes
        latencies.push(performance.now() - from)
      } catch (error) {
        seen.errors += 1
        seen.firstError ??= (error as Error).message
      }
    },
    result() {
      const { bytes, ...counted } = seen
      return {
        ...counted,
        answered: latencies.length,
        seconds: (performance.now() - started) / 1000,
        meanBytes: bytes / latencies.length,
        p50Ms: quantile(latencies, 0.5),
        p99Ms: quantile(latencies, 0.99),
      }
    },
  }
}

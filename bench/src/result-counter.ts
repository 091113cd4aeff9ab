import type { LoadResult } from './load.ts'
import { quantile } from './statistics.ts'

/** Counts the outcomes of the requests of a run. */
export interface ResultCounter {
  /** As `performance.now()`. */
  started: number
  answered(): number
  /** Times one request since `from`; `sendRequest` returns the size of the reply and throws on an unexpected one. */
  time(from: number, sendRequest: () => Promise<number>): Promise<void>
  result(): LoadResult
}

export function startCounter(): ResultCounter {
  const latencies: number[] = []
  const seen = { errors: 0, firstError: null as string | null, bytes: 0 }
  const started = performance.now()
  return {
    started,
    answered: () => latencies.length,
    async time(from, sendRequest) {
      try {
        // Not added in the same expression as the `await`: additions by others in the meantime would be lost.
        const bytes = await sendRequest()
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

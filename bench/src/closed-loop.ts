import type { LoadResult } from './load.ts'
import { quantile } from './statistics.ts'

interface Loop {
  seconds: number
  /** Requests in flight. */
  connections: number
  /** Asks once; gives the size of the answer, throws when it is not the expected one. */
  ask(worker: number): Promise<number>
}

const mostRequests = 5_000_000

/** Each worker asks again as soon as it was answered, until the time is over. */
export async function closedLoop({ seconds, connections, ask }: Loop): Promise<LoadResult> {
  const latencies: number[] = []
  const result = { errors: 0, firstError: null as string | null, bytes: 0 }
  const started = performance.now()
  const isOver = () => performance.now() - started > seconds * 1000 || latencies.length >= mostRequests

  async function work(worker: number): Promise<void> {
    while (!isOver()) {
      const from = performance.now()
      try {
        const bytes = await ask(worker)
        result.bytes += bytes
        latencies.push(performance.now() - from)
      } catch (error) {
        result.errors += 1
        result.firstError ??= (error as Error).message
      }
    }
  }

  await Promise.all(Array.from({ length: connections }, (_, worker) => work(worker)))
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

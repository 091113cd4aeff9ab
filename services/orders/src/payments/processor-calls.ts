/** Lease of a row for a request that calls the processor about it; jobs have `JOB_LEASE_MS`. */
export const callLeaseMs = 30_000

/**
 * Maximum wait for a charge or refund: half the lease of the row, so that no other worker calls the processor about it at the same time.
 */
export const callDeadlineMs = (leaseMs: number) => Math.min(15_000, leaseMs / 2)

/** Makes a call with a timeout. After the timeout it throws, and the outcome of the call is unknown. */
export async function withTimeout<T>(ms: number, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(ms)
  const overdue = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error(`The payment processor did not reply within ${ms} ms`)), { once: true })
  })
  return Promise.race([call(signal), overdue])
}

/** Calls in progress in this process, by the id of their row. */
export interface ProcessorCalls {
  /** Number of calls a job may still start. */
  free(): number
  /** Starts the work. If work on the row is already in progress, waits for that instead. */
  run(id: string, work: () => Promise<void>): Promise<void>
  /** Resolves once no call is in progress. */
  idle(): Promise<void>
}

/** Calls never wait for each other; beyond `maxConcurrent`, due rows wait in the database. */
export function createProcessorCalls(maxConcurrent: number): ProcessorCalls {
  const inProgress = new Map<string, Promise<void>>()
  return {
    free: () => Math.max(0, maxConcurrent - inProgress.size),
    run(id, work) {
      const running = inProgress.get(id)
      if (running) return running
      const started = work().finally(() => inProgress.delete(id))
      inProgress.set(id, started)
      return started
    },
    async idle() {
      await Promise.allSettled(inProgress.values())
    },
  }
}

/** SQL of the next call after one with an unknown outcome: after the age of the row, between one second and one hour. */
export const nextCheckAt = `now() + least(interval '1 hour', greatest(interval '1 second', now() - created_at))`

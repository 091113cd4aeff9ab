import type { Answer } from '../providers/provider.ts'

/** Lease of a row for a request that calls the provider about it; jobs have `JOB_LEASE_MS`. */
export const callLeaseMs = 30_000

/** Maximum wait for an answer: less than the lease of the row, so that no other worker calls about it at the same time. */
const callDeadlineMs = (leaseMs: number) => Math.min(20_000, (leaseMs * 2) / 3)

/** Makes a call. One that throws, or has no answer by its deadline, may have been executed. */
export async function callWithDeadline<T>(leaseMs: number, call: () => Promise<T>): Promise<T | Answer<never>> {
  const deadline = Promise.withResolvers<Answer<never>>()
  const timer = setTimeout(() => deadline.resolve({ unknown: 'timeout', sent: true, retryAfterMs: null }), callDeadlineMs(leaseMs))
  try {
    return await Promise.race([call(), deadline.promise])
  } catch {
    return { unknown: 'unreadable', sent: true, retryAfterMs: null }
  } finally {
    clearTimeout(timer)
  }
}

/** Calls in progress in this process, by the id of their row. */
export interface CallsInProgress {
  /** Number of calls a job may still start. */
  free(): number
  /** Accounts with so many calls in progress that a job starts no others: one whose provider hangs leaves room for the rest. */
  findBusyAccounts(): string[]
  /** Starts the work for an account. If work on the row is already in progress, waits for that instead. */
  run(id: string, work: () => Promise<void>, accountId?: string | null): Promise<void>
  /**
   * Starts the work of a request, which may only wait while a job holds the lease. It keeps no job from the row: otherwise the row would stay
   * until its lease expires.
   */
  runForRequest(id: string, work: () => Promise<void>): Promise<void>
  /** Resolves once no call is in progress. */
  idle(): Promise<void>
}

/** Calls of one account with which it is busy. */
const busyAt = 8

/** Calls never wait for each other; beyond `maxConcurrent`, due rows wait in the database. */
export function createCallsInProgress(maxConcurrent: number): CallsInProgress {
  const inProgress = new Map<string, Promise<void>>()
  const accounts = new Map<string, string>()
  const calls: CallsInProgress = {
    free: () => Math.max(0, maxConcurrent - inProgress.size),
    findBusyAccounts() {
      const counts = new Map<string, number>()
      for (const account of accounts.values()) counts.set(account, (counts.get(account) ?? 0) + 1)
      return [...counts].flatMap(([account, count]) => (count >= busyAt ? [account] : []))
    },
    run(id, work, accountId = null) {
      const running = inProgress.get(id)
      if (running) return running
      if (accountId !== null) accounts.set(id, accountId)
      const started = work().finally(() => {
        inProgress.delete(id)
        accounts.delete(id)
      })
      inProgress.set(id, started)
      return started
    },
    runForRequest: (id, work) => calls.run(`request ${id}`, work),
    async idle() {
      await Promise.allSettled(inProgress.values())
    },
  }
  return calls
}

import { createWakeSignal } from './wake-signal.ts'
import type { Database } from '../database/database.ts'
import type { Job, JobContext } from '../handlers/handler.ts'
import type { Logger } from '../process/logger.ts'
import type { Closeable } from '../process/shutdown.ts'
import { continueTrace, startSpan, withSpans } from '../process/tracing.ts'
import { runInSystemTransaction, runInTransaction, systemCaller, type TransactionScope } from '../handlers/transaction.ts'
import { createSystemSql } from '@quittance/sql/sql-runner'
import type { NotificationListener } from './notification-listener.ts'

interface Schedule {
  job: Job
  database: Database
  wakeUps: NotificationListener
  log: Logger
  leaseMs: number
  /** Milliseconds before the first run, unless it is woken. */
  startAfterMs: number
}

const retryDelayMs = 1_000

/**
 * Runs a job repeatedly: immediately if there is more to do, otherwise when woken or after its interval. A job with several runs at once is
 * one loop per run: a wake-up continues one of those that wait.
 */
export function startJob({ job, database, wakeUps, log, leaseMs, startAfterMs }: Schedule): Closeable {
  const wakeSignal = createWakeSignal()
  let stopped = false
  const getIntervalMs = () => (typeof job.everyMs === 'number' ? job.everyMs : job.everyMs())
  wakeUps.on(job.name, () => wakeSignal.wake())
  const loops = Array.from({ length: job.concurrency ?? 1 }, runLoop)

  async function runLoop(): Promise<void> {
    await wakeSignal.wait(startAfterMs)
    while (!stopped) {
      const hasMore = await job.run(context()).catch(failed)
      if (!stopped && hasMore !== true) await wakeSignal.wait(hasMore === null ? retryDelayMs : getIntervalMs())
    }
    // Ends the next one that waits.
    wakeSignal.wake()
  }

  function failed(error: unknown): null {
    log.error({ err: error, job: job.name }, 'job.failed')
    return null
  }

  function context(): JobContext {
    const unit = { now: new Date(), log, traceparent: continueTrace(undefined) }
    return {
      ...unit,
      systemSql: createSystemSql(database, 'jobs serve all organizations'),
      leaseMs,
      isStopping: () => stopped,
      runAgain: () => wakeSignal.wake(),
      transaction: (organizationId, work, parent) =>
        inSpan((unit) => runInTransaction(database, { caller: systemCaller(organizationId), unit }, work), parent),
      systemTransaction: (work) => inSpan((unit) => runInSystemTransaction(database, { caller: { kind: 'anonymous' }, unit }, work)),
    }
  }

  function inSpan<T>(run: (unit: TransactionScope['unit']) => Promise<T>, parent?: string | null): Promise<T> {
    const span = startSpan(job.name, 'internal', parent)
    const { traceparent } = span
    const unit = { traceparent, log: log.child({ trace_id: traceparent.slice(3, 35) }), now: new Date() }
    return withSpans([span], () => run(unit))
  }

  return {
    name: job.name,
    async close() {
      stopped = true
      wakeSignal.wake()
      await Promise.all(loops)
    },
  }
}

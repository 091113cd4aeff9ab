import { createWakeSignal } from './wake-signal.ts'
import type { Database } from '../database/database.ts'
import type { Job, JobContext } from '../handlers/handler.ts'
import type { Logger } from '../process/logger.ts'
import { counter } from '../process/metrics.ts'
import type { Closeable } from '../process/shutdown.ts'
import { continueTrace, startSpan, withSpans } from '../process/tracing.ts'
import { runInSystemTransaction, runInTransaction, systemCaller, type TransactionScope } from '../handlers/transaction.ts'
import { createSystemSql } from '@quittance/sql/sql-runner'
import type { NotificationListener } from './notification-listener.ts'

interface Schedule {
  database: Database
  wakeUps: NotificationListener
  log: Logger
  leaseMs: number
}

const failures = counter('job_failures_total', 'Runs of a job that failed; it runs again.', ['job_name'])

const retryDelayMs = 1_000
/** Maximum delay of the first run. */
const maxStartDelayMs = 1_000

/**
 * Starts jobs. Their first runs are one after the other, as long as each ends soon: together they would open every connection of the pool, and
 * again at each common interval.
 */
export function startJobs(jobs: readonly Job[], schedule: Schedule): Closeable[] {
  let previous = Promise.resolve()
  return jobs.map((job) => {
    const { promise: firstRun, resolve } = Promise.withResolvers<void>()
    const running = startJob(job, { ...schedule, startAfter: previous, onRun: resolve })
    previous = firstRun
    return running
  })
}

interface JobSchedule extends Schedule {
  /** The first run starts when it resolves, or when woken. */
  startAfter: Promise<void>
  /** Called after each run. */
  onRun(): void
}

/**
 * Runs a job repeatedly: immediately if there is more to do, otherwise when woken or after its interval. A job with several runs at once is
 * one loop per run: a wake-up continues one of those that wait.
 */
function startJob(job: Job, { database, wakeUps, log, leaseMs, startAfter, onRun }: JobSchedule): Closeable {
  const wakeSignal = createWakeSignal()
  let stopped = false
  const getIntervalMs = () => (typeof job.everyMs === 'number' ? job.everyMs : job.everyMs())
  wakeUps.on(job.name, () => wakeSignal.wake())
  const loops = Array.from({ length: job.concurrency ?? 1 }, runLoop)
  void startAfter.then(() => wakeSignal.wake())

  async function runLoop(): Promise<void> {
    await wakeSignal.wait(maxStartDelayMs)
    while (!stopped) {
      const hasMore = await job.run(context()).catch(failed)
      onRun()
      if (!stopped && hasMore !== true) await wakeSignal.wait(hasMore === null ? retryDelayMs : getIntervalMs())
    }
    // Ends the next one that waits.
    wakeSignal.wake()
  }

  function failed(error: unknown): null {
    failures.inc({ job_name: job.name })
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

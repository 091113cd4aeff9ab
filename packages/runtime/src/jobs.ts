import { createAlarm } from './alarm.ts'
import type { Database } from './database.ts'
import type { Job, JobContext } from './handler.ts'
import type { Logger } from './log.ts'
import type { Closer } from './shutdown.ts'
import { continueTrace, startSpan, traced } from './trace.ts'
import { actingFor, rowsWith, runInTransaction } from './transaction.ts'
import type { WakeUps } from './wake.ts'

interface Schedule {
  job: Job
  database: Database
  wakeUps: WakeUps
  log: Logger
  leaseMs: number
}

const afterFailureMs = 1_000

/** Runs a job again and again: at once when there is more to do, else when woken or after its interval. */
export function startJob({ job, database, wakeUps, log, leaseMs }: Schedule): Closer {
  const alarm = createAlarm()
  let stopped = false
  const restMs = () => (typeof job.everyMs === 'number' ? job.everyMs : job.everyMs())
  wakeUps.on(job.name, () => alarm.ring())
  const loop = (async () => {
    while (!stopped) {
      const more = await job.run(context()).catch(failed)
      if (!stopped && more !== true) await alarm.wait(more === null ? afterFailureMs : restMs())
    }
  })()

  function failed(error: unknown): null {
    log.error({ err: error, job: job.name }, 'job.failed')
    return null
  }

  function context(): JobContext {
    const unit = { now: new Date(), log, traceparent: continueTrace(undefined) }
    return {
      ...unit,
      rows: rowsWith(database.execute),
      leaseMs,
      stopping: () => stopped,
      ring: () => alarm.ring(),
      transaction(organizationId, work, parent) {
        const caller = organizationId ? actingFor(organizationId) : ({ kind: 'anonymous' } as const)
        const span = startSpan(job.name, 'internal', parent)
        const { traceparent } = span
        const trace = { traceparent, log: log.child({ trace_id: traceparent.slice(3, 35) }) }
        return traced([span], () => runInTransaction(database, { caller, unit: { ...trace, now: new Date() } }, work))
      },
    }
  }

  return {
    name: job.name,
    async close() {
      stopped = true
      alarm.ring()
      await loop
    },
  }
}

import type { Database } from '../database/database.ts'
import type { Logger } from '../process/logger.ts'
import { gauge } from '../process/metrics.ts'
import type { Closeable } from '../process/shutdown.ts'
import { statement } from '@quittance/sql/statement'

const checkEveryMs = 15_000
/**
 * A service rejects the first attempt of a read if its own clock is 5 s ahead of the gateway's. Two clocks differ by less than that if both are
 * this close to a common one.
 */
const maxOffsetMs = 2_000
/** With a slower reply it is unknown when the clock was read. */
const maxRoundTripMs = 1_000

const readClock = statement('clock.read', `select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`)

/** Returns a reader of the clock of a database, in Unix milliseconds. */
export function createDatabaseClock({ execute }: Pick<Database, 'execute'>): () => Promise<number> {
  return async () => Number((await execute(readClock, []))[0]?.['now'])
}

interface ClockCheckOptions {
  /** Reads the clock of another machine, in Unix milliseconds; rejects while it cannot be reached. */
  readReference(): Promise<number>
  log: Pick<Logger, 'warn'>
}

/**
 * Compares the clock of this process with a reference at intervals, for the metric `clock_offset_seconds` and the log. A wrong clock does not end
 * a service: most of its work needs no exact time.
 */
export function startClockCheck({ readReference, log }: ClockCheckOptions): Closeable {
  let offsetMs = 0
  let isWrong = false
  const check = async () => {
    const sentAt = Date.now()
    const reference = await readReference()
    const receivedAt = Date.now()
    if (receivedAt - sentAt > maxRoundTripMs) return
    offsetMs = (sentAt + receivedAt) / 2 - reference
    const wasWrong = isWrong
    isWrong = Math.abs(offsetMs) > maxOffsetMs
    if (isWrong && !wasWrong) log.warn({ offset_seconds: offsetMs / 1_000 }, 'clock.wrong')
  }
  gauge('clock_offset_seconds', 'Clock of the process minus that of its database, for the gateway that of auth, in seconds.', {
    collect: (gauge) => gauge.set(offsetMs / 1_000),
  })
  // While the reference is unavailable, the last offset remains.
  const tick = () => void check().catch(() => {})
  const timer = setInterval(tick, checkEveryMs)
  tick()
  return {
    name: 'clock-check',
    async close() {
      clearInterval(timer)
    },
  }
}

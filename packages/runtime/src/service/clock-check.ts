import type { Database } from '../database/database.ts'
import type { Logger } from '../process/logger.ts'
import { gauge } from '../process/metrics.ts'
import type { Closeable } from '../process/shutdown.ts'
import { statement } from '@quittance/sql/statement'

const checkEveryMs = 15_000
/** A signature of a webhook is accepted for five minutes, a signed request for less. */
const maxOffsetMs = 30_000
/** With a slower reply it is unknown when the clock was read. */
const maxRoundTripMs = 1_000

const readClock = statement('clock.read', `select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`)

/**
 * Compares the clock of this process with that of its database at intervals, for the metric `clock_offset_seconds` and the log. A wrong clock
 * does not end a service: most of its work needs no exact time.
 */
export function startClockCheck({ database, log }: { database: Database; log: Logger }): Closeable {
  let offsetMs = 0
  let isWrong = false
  const check = async () => {
    const sentAt = Date.now()
    const [row] = await database.execute(readClock, [])
    const receivedAt = Date.now()
    if (receivedAt - sentAt > maxRoundTripMs) return
    offsetMs = (sentAt + receivedAt) / 2 - Number(row?.['now'])
    const wasWrong = isWrong
    isWrong = Math.abs(offsetMs) > maxOffsetMs
    if (isWrong && !wasWrong) log.warn({ offset_seconds: offsetMs / 1_000 }, 'clock.wrong')
  }
  gauge('clock_offset_seconds', 'Clock of the process minus that of its database, in seconds.', {
    collect: (gauge) => gauge.set(offsetMs / 1_000),
  })
  // While the database is unavailable, the last offset remains.
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

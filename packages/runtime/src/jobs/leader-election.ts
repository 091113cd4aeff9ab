import { createHash } from 'node:crypto'
import type { Closeable } from '../process/shutdown.ts'
import type { Logger } from '../process/logger.ts'
import { executeBatch } from '../database/statement-batch.ts'
import type { Execute } from '@quittance/sql/view'
import type { LeaderSession } from './leader-session.ts'
import { createWakeSignal } from './wake-signal.ts'

/** Leadership of a named task: while held, no other replica of the service runs it. */
export interface Leadership {
  /** False once the connection that holds the lock is lost, the task is closed, or the work has ended. */
  isLeader(): boolean
  /** Aborted when `isLeader` becomes false. */
  ended: AbortSignal
  /**
   * Runs a named statement on that connection: the leader does not queue for a connection of the pool, and after losing the lock it cannot
   * write.
   */
  execute: Execute
  /** Like `execute`, which ends the connection after a minute without a result, for statements that may take up to an hour. */
  executeLong: Execute
}

interface LeaderTask {
  /** Holds the lock of the task, perhaps beside those of others. */
  session: LeaderSession
  name: string
  log: Logger
  /** Runs while `isLeader()`; started again after the leadership was lost. */
  work(leadership: Leadership, stopped: () => boolean): Promise<void>
}

const retryAfterMs = 1_000
const longStatementMs = 3_600_000

/**
 * Runs a task on one replica at a time. Leadership is a session advisory lock. It ends with the connection of the session, so a killed
 * replica is replaced within `retryAfterMs`, and one whose machine or network vanished within half a minute (`connection-loss.ts`). It is not
 * a fencing token: two leaders may overlap until a broken connection is detected, which may affect order during that time but loses no event.
 */
export function runAsLeader({ session, name, log, work }: LeaderTask): Closeable {
  const wakeSignal = createWakeSignal()
  const key = createHash('sha256').update(name).digest().readBigInt64BE()
  const stop = new AbortController()
  const loop = (async () => {
    while (!stop.signal.aborted) {
      await leadOnce().catch((error: unknown) => log.warn({ err: error, holder: name }, 'leadership.lost'))
      if (!stop.signal.aborted) await wakeSignal.wait(retryAfterMs)
    }
  })()

  async function leadOnce(): Promise<void> {
    const { client, lost } = await session.connect()
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [key.toString()])
    if (!rows[0]?.locked) return
    const end = new AbortController()
    const ended = AbortSignal.any([lost, stop.signal, end.signal])
    try {
      const run =
        (limit: { limitMs?: number }): Execute =>
        async ({ name, text }, values) =>
          (await executeBatch(client, [{ name, text, values, ...limit }]))[0]?.rows ?? []
      const statements = { execute: run({}), executeLong: run({ limitMs: longStatementMs }) }
      await work({ isLeader: () => !ended.aborted, ended, ...statements }, () => stop.signal.aborted)
    } finally {
      end.abort()
      // A connection that cannot unlock is ended: the lock must not outlive the work. The end of a broken one never arrives.
      await client.query('select pg_advisory_unlock($1)', [key.toString()]).catch(() => void client.end().catch(() => {}))
    }
  }

  return {
    name,
    async close() {
      stop.abort()
      wakeSignal.wake()
      await loop
    },
  }
}

import { createHash } from 'node:crypto'
import pg from 'pg'
import type { Closeable } from '../process/shutdown.ts'
import { createWakeSignal } from './wake-signal.ts'
import type { Logger } from '../process/logger.ts'
import { executeBatch } from '../database/statement-batch.ts'
import type { Execute } from '../sql/view.ts'

/** Leadership of a named task: while held, no other replica of the service runs it. */
export interface Leadership {
  /** False once the connection that holds the lock is lost. */
  isLeader(): boolean
  /**
   * Runs a named statement on that connection: the leader does not queue for a connection of the pool, and after losing the lock it cannot
   * write.
   */
  execute: Execute
}

interface LeaderTask {
  url: string
  name: string
  log: Logger
  /** Runs while `isLeader()`; started again after the leadership was lost. */
  work(leadership: Leadership, stopped: () => boolean): Promise<void>
}

const retryAfterMs = 1_000

/**
 * Runs a task on one replica at a time. Leadership is a session advisory lock on a dedicated connection. It ends with the connection, so a
 * killed replica is replaced within `retryAfterMs`. It is not a fencing token: two leaders may overlap until a broken connection is
 * detected, which may affect order during that time but loses no event.
 */
export function runAsLeader({ url, name, log, work }: LeaderTask): Closeable {
  const wakeSignal = createWakeSignal()
  const key = createHash('sha256').update(name).digest().readBigInt64BE()
  let stopped = false
  const loop = (async () => {
    while (!stopped) {
      await leadOnce().catch((error: unknown) => log.warn({ err: error, holder: name }, 'leadership.lost'))
      if (!stopped) await wakeSignal.wait(retryAfterMs)
    }
  })()

  async function leadOnce(): Promise<void> {
    const client = new pg.Client({ connectionString: url, application_name: `quittance ${name}`.slice(0, 63), keepAlive: true })
    let open = true
    client.on('error', () => (open = false))
    client.on('end', () => (open = false))
    await client.connect()
    try {
      const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [key.toString()])
      if (!rows[0]?.locked) return
      const execute: Execute = async ({ name, text }, values) => (await executeBatch(client, [{ name, text, values }]))[0]?.rows ?? []
      await work({ isLeader: () => open && !stopped, execute }, () => stopped)
    } finally {
      await client.end().catch(() => {})
    }
  }

  return {
    name,
    async close() {
      stopped = true
      wakeSignal.wake()
      await loop
    },
  }
}

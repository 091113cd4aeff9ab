import { createHash } from 'node:crypto'
import pg from 'pg'
import type { Closer } from './shutdown.ts'
import { createAlarm } from './alarm.ts'
import type { Logger } from './log.ts'
import { send } from './packet.ts'
import type { Execute } from './view.ts'

/** While held, this replica is the only one of the service that does the named thing. */
export interface Holding {
  /** False as soon as the connection that carries the lock is gone. */
  held(): boolean
  /**
   * Runs a named statement on that connection: whoever holds does not wait in line with requests for one of the pool, and once the lock
   * is lost nothing more is written.
   */
  execute: Execute
}

interface SingleHolder {
  url: string
  name: string
  log: Logger
  /** Works while `holding.held()`; is started again after a loss. */
  work(holding: Holding, stopped: () => boolean): Promise<void>
}

const retryAfterMs = 1_000

/**
 * Keeps order where several replicas would break it: an advisory lock on a connection of its own. The lock dies with the
 * connection, so a killed replica is replaced within `retryAfterMs`. It is not a fence: two holders may overlap for the time
 * a broken connection takes to be noticed, which costs order of that moment and never an event.
 */
export function onlyOne({ url, name, log, work }: SingleHolder): Closer {
  const alarm = createAlarm()
  const key = createHash('sha256').update(name).digest().readBigInt64BE()
  let stopped = false
  const loop = (async () => {
    while (!stopped) {
      await holdOnce().catch((error: unknown) => log.warn({ err: error, holder: name }, 'single-holder.interrupted'))
      if (!stopped) await alarm.wait(retryAfterMs)
    }
  })()

  async function holdOnce(): Promise<void> {
    const client = new pg.Client({ connectionString: url, application_name: `quittance ${name}`.slice(0, 63), keepAlive: true })
    let open = true
    client.on('error', () => (open = false))
    client.on('end', () => (open = false))
    await client.connect()
    try {
      const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [key.toString()])
      if (!rows[0]?.locked) return
      const execute: Execute = async ({ name, text }, values) => (await send(client, [{ name, text, values }]))[0]?.rows ?? []
      await work({ held: () => open && !stopped, execute }, () => stopped)
    } finally {
      await client.end().catch(() => {})
    }
  }

  return {
    name,
    async close() {
      stopped = true
      alarm.ring()
      await loop
    },
  }
}

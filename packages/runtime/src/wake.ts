import pg from 'pg'
import type { Logger } from './log.ts'

/**
 * One PostgreSQL connection that listens for wake-ups of this service: `outbox`, or the name of a job. A wake-up only
 * shortens a wait; losing one costs a poll interval, so the connection may break and come back.
 */
export interface WakeUps {
  on(name: string, wake: () => void): void
  close(): Promise<void>
}

const reconnectAfterMs = 1_000

/** Listens on channel `wake` until closed. */
export async function listenForWakeUps(url: string, log: Logger): Promise<WakeUps> {
  const listeners = new Map<string, () => void>()
  let client: pg.Client | null = null
  let closed = false

  const open = async () => {
    const next = new pg.Client({ connectionString: url, application_name: 'quittance wake', keepAlive: true })
    next.on('error', () => {})
    next.on('notification', ({ payload }) => listeners.get(payload ?? '')?.())
    next.on('end', () => {
      client = null
      if (!closed) setTimeout(() => void open().catch(retry), reconnectAfterMs).unref()
    })
    await next.connect()
    await next.query('listen wake')
    client = next
    for (const wake of listeners.values()) wake()
  }
  const retry = (error: unknown) => {
    log.warn({ err: error }, 'wake.reconnecting')
    if (!closed) setTimeout(() => void open().catch(retry), reconnectAfterMs).unref()
  }

  await open().catch(retry)
  return {
    on: (name, wake) => void listeners.set(name, wake),
    async close() {
      closed = true
      await client?.end()
    },
  }
}

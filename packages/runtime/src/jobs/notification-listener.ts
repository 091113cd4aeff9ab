import pg from 'pg'
import { clientLossDetection, enableLossDetection } from '../database/connection-loss.ts'
import type { Logger } from '../process/logger.ts'

/**
 * One PostgreSQL connection that listens for wake-ups of this service: `outbox`, or the name of a job. A wake-up only shortens a wait;
 * losing one costs one poll interval, so the connection may break and reconnect.
 */
export interface NotificationListener {
  on(name: string, wake: () => void): void
  close(): Promise<void>
}

const reconnectAfterMs = 1_000

/** Listens on channel `wake` until closed. While the database is unavailable it makes one attempt per second. */
export async function listenForNotifications(url: string, log: Logger): Promise<NotificationListener> {
  const listeners = new Map<string, () => void>()
  let client: pg.Client | null = null
  let reconnect: NodeJS.Timeout | null = null
  let closed = false

  const open = async () => {
    const next = new pg.Client({ connectionString: url, application_name: 'quittance wake', ...clientLossDetection })
    next.on('error', () => {})
    next.on('notification', ({ payload }) => listeners.get(payload ?? '')?.())
    next.on('end', () => {
      if (client !== next) return
      client = null
      reconnectLater()
    })
    await next.connect()
    client = next
    await enableLossDetection(next)
    await next.query('listen wake')
    for (const wake of listeners.values()) wake()
  }
  const tryToOpen = async () => {
    try {
      await open()
    } catch (error) {
      log.warn({ err: error }, 'notifications.reconnecting')
      // Not awaited: it does not resolve for a connection that has failed.
      void client?.end().catch(() => {})
      client = null
      reconnectLater()
    }
  }
  // A failed connection reports its failure and its end: only one of them may lead to an attempt, or attempts double every second.
  const reconnectLater = () => {
    if (closed || reconnect) return
    reconnect = setTimeout(() => {
      reconnect = null
      void tryToOpen()
    }, reconnectAfterMs).unref()
  }

  await tryToOpen()
  return {
    on: (name, wake) => void listeners.set(name, wake),
    async close() {
      closed = true
      if (reconnect) clearTimeout(reconnect)
      await client?.end()
    },
  }
}

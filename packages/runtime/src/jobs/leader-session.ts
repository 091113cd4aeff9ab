import pg from 'pg'
import { clientLossDetection, enableLossDetection } from '../database/connection-loss.ts'

/**
 * A connection whose session advisory locks are leaderships. Tasks that run no statements on it share one, because each connection is a
 * process of PostgreSQL. The locks of a machine that vanishes are released within 25 s.
 */
export interface LeaderSession {
  /** Returns the connection. It is opened at first use, and again after it was lost. */
  connect(): Promise<LeaderConnection>
  /** Ends the connection, and with it every leadership. */
  close(): Promise<void>
}

export interface LeaderConnection {
  client: pg.Client
  /** Aborted when the connection is lost or closed. */
  lost: AbortSignal
}

/** Creates a session; `name` identifies it in `pg_stat_activity`. */
export function createLeaderSession(url: string, name: string): LeaderSession {
  let current: Promise<LeaderConnection> | null = null
  const forget = (lost: Promise<LeaderConnection>) => {
    if (current === lost) current = null
  }
  return {
    connect() {
      if (current) return current
      const opened: Promise<LeaderConnection> = open({ url, name, onLoss: () => forget(opened) })
      opened.catch(() => forget(opened))
      current = opened
      return opened
    },
    async close() {
      const connection = await current?.catch(() => null)
      await connection?.client.end().catch(() => {})
    },
  }
}

/**
 * Time after which the connection is ended if a statement that sets no other limit has no result. TCP itself detects a server that vanished
 * during a statement only after a quarter of an hour.
 */
const resultLimitMs = 60_000

async function open({ url, name, onLoss }: { url: string; name: string; onLoss: () => void }): Promise<LeaderConnection> {
  // Several tasks use the connection at once; without `pipeline` the library warns of a query that waits for another.
  const client = new pg.Client({
    connectionString: url,
    application_name: `quittance ${name}`,
    query_timeout: resultLimitMs,
    pipeline: true,
    // A plan that was kept from when the outbox was empty would read all of it for every batch.
    options: '-c plan_cache_mode=force_custom_plan',
    ...clientLossDetection,
  })
  const loss = new AbortController()
  const lose = () => {
    onLoss()
    loss.abort()
  }
  client.on('error', lose)
  client.on('end', lose)
  await client.connect()
  try {
    await enableLossDetection(client)
  } catch (error) {
    void client.end().catch(() => {})
    throw error
  }
  return { client, lost: loss.signal }
}

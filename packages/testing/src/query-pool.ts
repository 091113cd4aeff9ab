import { Pool, type QueryResultRow } from 'pg'

/** Connections of a test to a database, for many queries at the same time. */
export interface QueryPool {
  query<Row extends QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>
  close(): Promise<void>
}

/** Opens a pool; `settings` are those of each connection, such as `{ 'quittance.payments': 'port' }`. */
export function openQueryPool(connectionString: string, settings: Record<string, string> = {}): QueryPool {
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)
  const pool = new Pool({ connectionString, max: 6, options: options.join(' ') })
  return {
    query: async <Row extends QueryResultRow>(sql: string, values?: unknown[]) => (await pool.query<Row>(sql, values)).rows,
    close: () => pool.end(),
  }
}

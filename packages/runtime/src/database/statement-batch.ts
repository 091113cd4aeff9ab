import type pg from 'pg'

/** A statement with its values. A named one is prepared once per connection. */
export interface BatchStatement {
  name: string | undefined
  text: string
  values: readonly unknown[]
  /** After this time without a result the connection is ended; by default, that of the client. */
  limitMs?: number
}

/** Result of a statement. */
export interface StatementResult {
  rows: Record<string, unknown>[]
  /** Rows changed or returned. */
  count: number
  /** First word of the command: `COMMIT`, `INSERT`. */
  command: string
}

/**
 * Sends statements of a transaction without waiting for the result of the previous one, and returns their results. If one fails, the batch
 * fails with its error, and the server refuses the later ones.
 */
export function executeBatch(client: pg.ClientBase, statements: readonly BatchStatement[]): Promise<StatementResult[]> {
  return Promise.all(
    statements.map(async ({ name, text, values, limitMs }) => {
      const limit = limitMs !== undefined && { query_timeout: limitMs }
      const { rows, rowCount, command } = await client.query({ ...(name && { name }), text, values: [...values], ...limit })
      return { rows, count: rowCount ?? 0, command }
    }),
  )
}

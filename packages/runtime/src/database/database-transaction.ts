import type { EntityManager } from '@mikro-orm/postgresql'
import type { Database } from './database.ts'
import { executeBatch, type StatementResult, type BatchStatement } from './statement-batch.ts'
import type { BoundStatement } from '@quittance/sql/statement'
import type { Execute } from '@quittance/sql/view'

/** One transaction on one connection of the pool. */
export interface TransactionHandle {
  /** Returns the entity manager of the transaction, created on first use. */
  em(): EntityManager
  /** Runs a named prepared statement, after flushing changes in `em`. */
  execute: Execute
  /** Queues a statement that is sent with the commit, for statements whose result is not needed. If it fails, the commit fails. */
  executeWithCommit(query: BoundStatement): void
  /**
   * Every later statement waits for `condition` and fails if it rejects. So the check whether to do the work and the first statement of the
   * work are sent together.
   */
  requireFirst(condition: Promise<unknown>): void
  /** The next error is thrown without waiting for the rollback, which may have to wait for another transaction's lock. */
  failFast(): void
}

/** Query of the ORM: a statement as text. */
interface MapperQuery {
  sql: string
  parameters: readonly unknown[]
}

const begin = { name: 'begin', text: 'begin', values: [] }
const commit = { name: 'commit', text: 'commit', values: [] }

/**
 * Runs `work` between `begin` and `commit`; an error rolls back. `begin` is sent with the first statement. The ORM takes part only if it is
 * used: its own transactions would double the cost of the statements.
 */
export async function runDatabaseTransaction<T>({ orm, pool }: Database, work: (open: TransactionHandle) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  const withCommit: BoundStatement[] = []
  let em: EntityManager | undefined
  let isBegun = false
  let isFinished = false
  let isFailFast = false
  let condition: Promise<unknown> | undefined

  async function sendStatements(statements: readonly BatchStatement[]): Promise<StatementResult[]> {
    if (isFinished) throw new Error('The transaction has ended')
    const batch = isBegun ? statements : [begin, ...statements]
    isBegun = true
    return executeBatch(client, batch)
  }
  async function executeOne(statement: BatchStatement, precondition: Promise<unknown> | undefined): Promise<StatementResult> {
    const sent = sendStatements([statement])
    if (precondition) {
      // If the precondition fails, an error of the statement is irrelevant.
      sent.catch(() => {})
      await precondition
    }
    return (await sent).at(-1) as StatementResult
  }
  async function rollBack(): Promise<void> {
    // If the rollback fails, the connection is unusable: the server has already ended the transaction.
    await client.query('rollback').then(
      () => client.release(),
      (failure: Error) => client.release(failure),
    )
  }
  function getEntityManager(): EntityManager {
    if (em) return em
    em = orm.em.fork()
    em.setTransactionContext({
      async executeQuery({ sql, parameters }: MapperQuery) {
        const { rows, count } = await executeOne({ name: undefined, text: sql, values: parameters }, condition)
        return { rows, numAffectedRows: BigInt(count) }
      },
    } as never)
    return em
  }
  try {
    const result = await work({
      em: getEntityManager,
      async execute({ name, text }, values) {
        // Read before the flush: statements of the condition itself must not wait for it.
        const precondition = condition
        if (em) await em.flush()
        return (await executeOne({ name, text, values }, precondition)).rows
      },
      executeWithCommit: (statement) => void withCommit.push(statement),
      requireFirst: (promise) => void (condition = promise),
      failFast: () => void (isFailFast = true),
    })
    await em?.flush()
    if (isBegun || withCommit.length > 0) assertCommitted(await sendStatements([...withCommit, commit]))
    isFinished = true
    client.release()
    return result
  } catch (error) {
    isFinished = true
    const rolledBack = isBegun ? rollBack() : client.release()
    if (!isFailFast) await rolledBack
    throw error
  }
}

/** The server rolls back on `commit` if a statement has failed, even if its error was caught. */
function assertCommitted(results: readonly StatementResult[]): void {
  const command = results.at(-1)?.command
  if (command !== 'COMMIT') throw new Error(`The transaction was rolled back: ${command}`)
}

/** A concurrent transaction committed first. The caller retries from the beginning and then sees its changes. */
export class TransactionConflict extends Error {}

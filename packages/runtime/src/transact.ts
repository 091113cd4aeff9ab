import type { EntityManager } from '@mikro-orm/postgresql'
import type { Database } from './database.ts'
import { nameOf } from './naming-client.ts'
import { send, type Answer, type Sent } from './packet.ts'
import type { Bound } from './statement.ts'
import type { Execute } from './view.ts'

/** One transaction on one connection of the pool. */
export interface OpenTransaction {
  /** Made when it is first asked for. */
  em(): EntityManager
  /** Named prepared statements, after what was changed in `em` is written. */
  execute: Execute
  /** A statement that goes out with the commit, in one packet: for what nobody waits for. Where it fails, the commit does, too. */
  executeLast(query: Bound): void
  /**
   * From here on no statement is answered before this is kept: where it is not, they fail with it. So what decides whether the work is to be
   * done at all, and the first statement of the work, are asked together.
   */
  onlyIf(condition: Promise<unknown>): void
  /** What is thrown next is told at once: the rollback may have to wait for somebody else's lock. */
  giveUp(): void
}

/** What the mapper asks of a transaction: a statement as text. */
interface MapperQuery {
  sql: string
  parameters: readonly unknown[]
}

const begin = { name: 'begin', text: 'begin', values: [] }
const commit = { name: 'commit', text: 'commit', values: [] }

/**
 * Runs `work` between `begin` and `commit`; what it throws rolls back. `begin` travels with the first statement. The mapper joins in
 * where it is used, and costs nothing where it is not: its own transactions cost as much again as the statements.
 */
export async function transact<T>({ orm, pool }: Database, work: (open: OpenTransaction) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  const last: Bound[] = []
  let em: EntityManager | undefined
  let isBegun = false
  let isOver = false
  let isGivenUp = false
  let condition: Promise<unknown> | undefined

  async function ask(statements: readonly Sent[]): Promise<Answer[]> {
    if (isOver) throw new Error('The transaction is over')
    const packet = isBegun ? statements : [begin, ...statements]
    isBegun = true
    return send(client, packet)
  }
  async function answerTo(statement: Sent, necessary: Promise<unknown> | undefined): Promise<Answer> {
    const asked = ask([statement])
    if (necessary) {
      // What the statement failed with is of no interest where it was not to be done.
      asked.catch(() => {})
      await necessary
    }
    return (await asked).at(-1) as Answer
  }
  async function rollBack(): Promise<void> {
    // What cannot roll back is no connection any more: the server has ended the transaction by itself.
    await client.query('rollback').then(
      () => client.release(),
      (failure: Error) => client.release(failure),
    )
  }
  function mapper(): EntityManager {
    if (em) return em
    em = orm.em.fork()
    em.setTransactionContext({
      async executeQuery({ sql, parameters }: MapperQuery) {
        const { rows, count } = await answerTo({ name: nameOf(sql), text: sql, values: parameters }, condition)
        return { rows, numAffectedRows: BigInt(count) }
      },
    } as never)
    return em
  }
  try {
    const result = await work({
      em: mapper,
      async execute({ name, text }, values) {
        // As of now: what the condition itself asks does not wait for it.
        const necessary = condition
        if (em) await em.flush()
        return (await answerTo({ name, text, values }, necessary)).rows
      },
      executeLast: (statement) => void last.push(statement),
      onlyIf: (given) => void (condition = given),
      giveUp: () => void (isGivenUp = true),
    })
    await em?.flush()
    if (isBegun || last.length > 0) demandCommitted(await ask([...last, commit]))
    isOver = true
    client.release()
    return result
  } catch (error) {
    isOver = true
    const rolledBack = isBegun ? rollBack() : client.release()
    if (!isGivenUp) await rolledBack
    throw error
  }
}

/** The server rolls back what it is asked to commit where a statement has failed, also where somebody has caught that. */
function demandCommitted(answers: readonly Answer[]): void {
  const tag = answers.at(-1)?.tag
  if (tag !== 'COMMIT') throw new Error(`The transaction had failed: ${tag}`)
}

import type { EntityManager } from '@mikro-orm/postgresql'
import type { Database } from './database.ts'
import type { NamingClient } from './naming-client.ts'
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
}

/** What the mapper asks of a transaction: a statement as text. */
interface MapperQuery {
  sql: string
  parameters: readonly unknown[]
}

/**
 * Runs `work` between `begin` and `commit`; what it throws rolls back. `begin` travels with the first statement. The mapper joins in
 * where it is used, and costs nothing where it is not: its own transactions cost as much again as the statements.
 */
export async function transact<T>({ orm, pool }: Database, work: (open: OpenTransaction) => Promise<T>): Promise<T> {
  const client = (await pool.connect()) as unknown as NamingClient & { release(broken?: Error): void }
  const last: Bound[] = []
  let em: EntityManager | undefined
  let isBegun = false
  let broken: Error | undefined

  async function query(asked: string | { name: string; text: string; values: unknown[] }, values?: unknown[]) {
    const ask = () => client.query(asked as string, values)
    if (isBegun) return ask()
    isBegun = true
    const [, result] = await client.together(() => Promise.all([client.query('begin'), ask()]))
    return result
  }
  function mapper(): EntityManager {
    if (em) return em
    em = orm.em.fork()
    em.setTransactionContext({
      async executeQuery({ sql, parameters }: MapperQuery) {
        const { rows, rowCount } = await query(sql, [...parameters])
        return { rows, numAffectedRows: BigInt(rowCount ?? 0) }
      },
    } as never)
    return em
  }
  try {
    const result = await work({
      em: mapper,
      async execute({ name, text }, values) {
        await em?.flush()
        return (await query({ name, text, values })).rows
      },
      executeLast: (statement) => void last.push(statement),
    })
    await em?.flush()
    await client.together(() => Promise.all([...last.map((each) => query(each)), isBegun && client.query('commit')]))
    return result
  } catch (error) {
    // What cannot roll back is no connection any more: the server has ended the transaction by itself.
    if (isBegun) await client.query('rollback').catch((failure: Error) => (broken = failure))
    throw error
  } finally {
    client.release(broken)
  }
}

import { OptimisticLockError } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { customerOf, organizationsOf, type Caller } from '@quittance/contracts/caller'
import type { Event } from '@quittance/contracts/event'
import { Conflict } from '@quittance/contracts/errors'
import type { Database } from './database.ts'
import type { Rows, Transaction, UnitContext } from './handler.ts'
import { recordsOf, type Fact } from './outbox.ts'
import { bind, bound, statement, type Statement } from './statement.ts'
import { readFor } from './read.ts'
import { Superseded } from './superseded.ts'
import { transact, type OpenTransaction } from './transact.ts'
import type { Execute } from './view.ts'

/** Rounds a transaction is tried when others change the same rows at the same time. */
const rounds = 5

const uniqueViolation = '23505'

/** PostgreSQL: serialization failure, deadlock detected; and what somebody else wrote after it was looked for. */
const retryable = new Set(['40001', '40P01', uniqueViolation])

/** For whom a transaction works. */
export interface TransactionScope {
  caller: Caller
  unit: UnitContext
}

/**
 * Runs `work` in one transaction with the organization and customer filters of the caller. Conflicts with other transactions are
 * repeated from the start; what still conflicts is a 409.
 */
export async function runInTransaction<T>(
  database: Database,
  scope: TransactionScope,
  work: (transaction: Transaction, open: OpenTransaction) => Promise<T>,
): Promise<T> {
  for (let round = 1; ; round++) {
    try {
      const facts: Fact<Event>[] = []
      const result = await transact(database, async (open) => {
        const worked = await work(transactionOf(open, { ...scope, facts }), open)
        for (const records of recordsOf(facts, scope.unit)) open.executeLast(records)
        return worked
      })
      if (facts.length > 0) database.bell.ring()
      return result
    } catch (error) {
      if (!isConflict(error) || (round === rounds && isTaken(error))) throw error
      if (round === rounds) throw new Conflict('The object was changed by another request at the same time. Try again.', { cause: error })
    }
  }
}

function transactionOf(open: OpenTransaction, { caller, unit, facts }: TransactionScope & { facts: Fact<Event>[] }): Transaction {
  const { execute, executeLast } = open
  let organizations = organizationsOf(caller)
  let read = readFor(caller, execute)
  let em: EntityManager | undefined
  const narrow = () => em?.setFilterParams('organization', { ids: organizations })
  return {
    now: unit.now,
    traceparent: unit.traceparent,
    get log() {
      return unit.log
    },
    // The mapper is made where it is used; a copy of the context would be a use.
    get em() {
      if (em) return em
      em = open.em()
      em.setFilterParams('customer', { id: customerOf(caller) })
      narrow()
      return em
    },
    rows: rowsWith(execute),
    read: {
      one: (...given) => read.one(...given),
      oneOrNull: (...given) => read.oneOrNull(...given),
      first: (...given) => read.first(...given),
      page: (...given) => read.page(...given),
    },
    publish: (fact) => void facts.push(fact),
    wake: (...jobs) => executeLast(bound(wake, { jobs })),
    actFor(organizationId) {
      organizations = [organizationId]
      narrow()
      read = readFor(actingFor(organizationId), execute)
    },
  }
}

const wake = statement('wake', `select pg_notify('wake', job) from unnest(:jobs::text[]) job`)

/** The caller that work for one organization is done as, when nobody asked for it. */
export function actingFor(organizationId: string): Caller {
  return { kind: 'organization', organization_id: organizationId, token_id: 'internal', client_id: null, user_id: null }
}

function isConflict(error: unknown): boolean {
  return error instanceof OptimisticLockError || error instanceof Superseded || retryable.has(codeOf(error) ?? '')
}

/** Whoever looks again finds what is in the way and refuses it by its name; what looks and does not find it is a fault of ours. */
function isTaken(error: unknown): boolean {
  return codeOf(error) === uniqueViolation
}

function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : undefined
}

/** Texts are constants of the code, so this is as large as the code. */
const compiled = new Map<string, Statement>()

/** Named statements with `:name` parameters over an executor; each text is compiled once. */
export function rowsWith(execute: Execute): Rows {
  return async (name, sql, values = {}) => {
    const query = compiled.get(sql) ?? statement(name, sql)
    compiled.set(sql, query)
    return (await execute(query, bind(query, values))) as never
  }
}

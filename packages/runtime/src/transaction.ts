import { OptimisticLockError, UniqueConstraintViolationException } from '@mikro-orm/core'
import { customerOf, organizationsOf, type Caller } from '@quittance/contracts/caller'
import type { Event } from '@quittance/contracts/event'
import { Conflict } from '@quittance/contracts/errors'
import { inTransaction, type Database } from './database.ts'
import type { Rows, Transaction, UnitContext } from './handler.ts'
import { recordFacts, type Fact } from './outbox.ts'
import { bind, statement, type Statement } from './statement.ts'
import { readFor } from './read.ts'
import type { Execute } from './view.ts'

/** Rounds a transaction is tried when others change the same rows at the same time. */
const rounds = 5

/** PostgreSQL: serialization failure, deadlock detected. */
const retryable = new Set(['40001', '40P01'])

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
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  for (let round = 1; ; round++) {
    try {
      return await database.orm.em.fork().transactional(async (em) => {
        const execute = inTransaction(em)
        const facts: Fact<Event>[] = []
        let read = readFor(scope.caller, execute)
        em.setFilterParams('organization', { ids: organizationsOf(scope.caller) })
        em.setFilterParams('customer', { id: customerOf(scope.caller) })
        const result = await work({
          ...scope.unit,
          em,
          rows: rowsWith(execute),
          read: {
            one: (...given) => read.one(...given),
            oneOrNull: (...given) => read.oneOrNull(...given),
            first: (...given) => read.first(...given),
            page: (...given) => read.page(...given),
          },
          publish: (fact) => void facts.push(fact),
          wake: async (...jobs) => void (await execute(wake, [jobs])),
          actFor(organizationId) {
            em.setFilterParams('organization', { ids: [organizationId] })
            read = readFor(actingFor(organizationId), execute)
          },
        })
        if (facts.length > 0) await recordFacts(execute, facts, scope.unit)
        return result
      })
    } catch (error) {
      if (!isConflict(error)) throw error
      if (round === rounds) throw new Conflict('The object was changed by another request at the same time. Try again.', { cause: error })
    }
  }
}

const wake = statement('wake', `select pg_notify('wake', job) from unnest(:jobs::text[]) job`)

/** The caller that work for one organization is done as, when nobody asked for it. */
export function actingFor(organizationId: string): Caller {
  return { kind: 'organization', organization_id: organizationId, token_id: 'internal', client_id: null, user_id: null }
}

function isConflict(error: unknown): boolean {
  if (error instanceof OptimisticLockError) return true
  if (error instanceof UniqueConstraintViolationException) return false
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && retryable.has(code)
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

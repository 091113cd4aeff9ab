import type { EntityManager } from '@mikro-orm/postgresql'
import type { Caller } from '@quittance/contracts/caller'
import type { Event } from '@quittance/contracts/event'
import { Conflict } from '@quittance/contracts/errors'
import type { Database, RegisteredReaction } from '../database/database.ts'
import type { SystemTransaction, Transaction, WorkContext } from './handler.ts'
import { createOutboxInserts, type OutboxEvent } from '../database/outbox.ts'
import { createScope, createScopedSql, createSystemSql } from '@quittance/sql/sql-runner'
import { bindStatement, statement } from '@quittance/sql/statement'
import { createViewReader } from '@quittance/sql/view-reader'
import { TransactionConflict, runDatabaseTransaction, type TransactionHandle } from '../database/database-transaction.ts'
import { runReaction } from './reactions.ts'

/** Maximum attempts of a transaction that conflicts with others. */
const maxAttempts = 5

const uniqueViolation = '23505'

/** PostgreSQL: serialization failure, deadlock detected, and a unique violation by a row written after it was looked up. */
const retryable = new Set(['40001', '40P01', uniqueViolation])

/** Caller and unit of work of a transaction. */
export interface TransactionScope {
  caller: Caller
  unit: WorkContext
}

/**
 * Runs `work` in one transaction with the organization and customer filters of the caller. After a conflict with another transaction it is
 * retried from the beginning; a conflict that remains is a 409.
 */
export async function runInTransaction<T>(
  database: Database,
  scope: TransactionScope,
  work: (transaction: Transaction, open: TransactionHandle) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      const events: OutboxEvent<Event>[] = []
      const result = await runDatabaseTransaction(database, async (open) => {
        const outcome = await work(createTransaction(open, { ...scope, events, reactions: database.reactions }), open)
        for (const records of createOutboxInserts(events, scope.unit)) open.executeWithCommit(records)
        return outcome
      })
      if (events.length > 0) database.outboxNotifier.notify()
      return result
    } catch (error) {
      if (!isConflict(error) || (attempt === maxAttempts && isUniqueViolation(error))) throw error
      if (attempt === maxAttempts)
        throw new Conflict('The object was changed by another request at the same time. Retry the request.', { cause: error })
    }
  }
}

/** The same with system access, for work across organizations. */
export function runInSystemTransaction<T>(
  database: Database,
  scope: TransactionScope,
  work: (transaction: SystemTransaction, open: TransactionHandle) => Promise<T>,
): Promise<T> {
  return runInTransaction(database, scope, (transaction, open) => work(addSystemAccess(transaction, open), open))
}

/** Adds system access to the context of an open transaction. */
export function addSystemAccess<T extends Transaction>(transaction: T, open: TransactionHandle): T & SystemTransaction {
  return Object.assign(transaction, { systemSql: createSystemSql(open, 'declared by the handler, job or consumer') })
}

function createTransaction(
  open: TransactionHandle,
  { caller, unit, events, reactions }: TransactionScope & { events: OutboxEvent<Event>[]; reactions: readonly RegisteredReaction[] },
): Transaction {
  const { execute, executeWithCommit } = open
  let scope = createScope(caller)
  let read = createViewReader(caller, execute)
  let em: EntityManager | undefined
  const applyFilters = () => {
    em?.setFilterParams('organization', { ids: scope.organizations })
    em?.setFilterParams('customer', { id: scope.customer, checkout: scope.checkout })
  }
  const transaction: Transaction = {
    now: unit.now,
    traceparent: unit.traceparent,
    get log() {
      return unit.log
    },
    // The entity manager is created on first use; copying the context would count as a use.
    get em() {
      if (em) return em
      em = open.em()
      applyFilters()
      return em
    },
    sql: createScopedSql(() => scope, execute),
    async lockNames(names) {
      if (names.length > 0) await execute(lockNames, [names])
    },
    read: {
      one: (...parameters) => read.one(...parameters),
      oneOrNull: (...parameters) => read.oneOrNull(...parameters),
      first: (...parameters) => read.first(...parameters),
      page: (...parameters) => read.page(...parameters),
    },
    publish: (event) => void events.push(event),
    async react(point, payload) {
      await em?.flush()
      await runReaction(reactions, { point, payload, context: transaction })
    },
    wake: (...jobs) => executeWithCommit(bindStatement(wake, { jobs })),
    bindOrganization(organizationId) {
      scope = { ...scope, organizations: [organizationId] }
      applyFilters()
      read = createViewReader(systemCaller(organizationId), execute)
    },
    beyondCheckout() {
      if (scope.checkout === null) return
      scope = { ...scope, checkout: null }
      applyFilters()
      read = createViewReader({ ...caller, checkout_id: null } as Caller, execute)
    },
  }
  return transaction
}

/** All transactions lock in the same order, so that they cannot deadlock. */
const lockNames = statement(
  'lock-names',
  `select pg_advisory_xact_lock(key) from (
    select distinct hashtextextended(name, 0) as key from unnest(:names::text[]) name order by key) keys`,
)

const wake = statement('wake', `select pg_notify('wake', job) from unnest(:jobs::text[]) job`)

/** Returns the caller of internal work for one organization. */
export function systemCaller(organizationId: string): Caller {
  return { kind: 'organization', organization_id: organizationId, token_id: 'internal', client_id: null, user_id: null }
}

/** The error of the ORM is recognized by its name, so that a service without a database does not load the ORM. */
function isConflict(error: unknown): boolean {
  const isOutdated = error instanceof Error && error.name === 'OptimisticLockError'
  return isOutdated || error instanceof TransactionConflict || retryable.has(errorCode(error) ?? '')
}

/** A retry finds the existing row and returns the specific error. A unique violation that remains is an internal error. */
function isUniqueViolation(error: unknown): boolean {
  return errorCode(error) === uniqueViolation
}

function errorCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : undefined
}

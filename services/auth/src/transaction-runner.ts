import type { Database } from '@quittance/runtime/database'
import type { Transaction } from '@quittance/runtime/handler'
import type { Logger } from '@quittance/runtime/logger'
import { continueTrace } from '@quittance/runtime/tracing'
import { runInTransaction } from '@quittance/runtime/transaction'

/** Runs work across organizations in one transaction, outside of an operation. */
export type TransactionRunner = <T>(work: (transaction: Transaction) => Promise<T>) => Promise<T>

export function createTransactionRunner(database: Database, log: Logger): TransactionRunner {
  return (work) => {
    const unit = { now: new Date(), log, traceparent: continueTrace(undefined) }
    return runInTransaction(database, { caller: { kind: 'anonymous' }, unit }, work)
  }
}

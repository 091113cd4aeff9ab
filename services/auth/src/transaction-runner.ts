import type { Database } from '@quittance/runtime/database'
import type { SystemTransaction } from '@quittance/runtime/handler'
import type { Logger } from '@quittance/runtime/logger'
import { continueTrace } from '@quittance/runtime/tracing'
import { runInSystemTransaction } from '@quittance/runtime/transaction'

/** Runs work across organizations in one transaction, outside of an operation. */
export type TransactionRunner = <T>(work: (transaction: SystemTransaction) => Promise<T>) => Promise<T>

export function createTransactionRunner(database: Database, log: Logger): TransactionRunner {
  return (work) => {
    const unit = { now: new Date(), log, traceparent: continueTrace(undefined) }
    return runInSystemTransaction(database, { caller: { kind: 'anonymous' }, unit }, work)
  }
}

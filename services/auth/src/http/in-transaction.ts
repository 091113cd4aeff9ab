import type { Database } from '@quittance/runtime/database'
import type { Transaction } from '@quittance/runtime/handler'
import type { Logger } from '@quittance/runtime/log'
import { continueTrace } from '@quittance/runtime/trace'
import { runInTransaction } from '@quittance/runtime/transaction'

/** Work across organizations that no operation asked for: everything or nothing. */
export type InTransaction = <T>(work: (transaction: Transaction) => Promise<T>) => Promise<T>

export function createInTransaction(database: Database, log: Logger): InTransaction {
  return (work) => {
    const unit = { now: new Date(), log, traceparent: continueTrace(undefined) }
    return runInTransaction(database, { caller: { kind: 'anonymous' }, unit }, work)
  }
}

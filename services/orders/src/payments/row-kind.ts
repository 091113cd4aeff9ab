import type { Transaction } from '@quittance/runtime/handler'
import type { ScopedSql } from '@quittance/sql/sql-runner'
import type { Intent } from '../providers/provider.ts'
import type { Lease, LeaseRequest } from './payment-lease.ts'
import type { Effect, PaymentProgress } from './payment-progress.ts'
import type { PaymentRequest } from './progress-columns.ts'

/** A payment or setup as it is stored. */
export interface DrivenRow {
  id: string
  createdAt: Date
  organizationId: string
  paymentAccountId?: string | null | undefined
  request: PaymentRequest
  checks: number
  nextCheckAt?: Date | null | undefined
  leasedUntil?: Date | null | undefined
  toProgress(): PaymentProgress
  apply(progress: PaymentProgress, at: { now: Date; nextCheckAt: Date | null }): void
}

/** A row that has ended, with what was locked before it and what follows from its end. */
export interface SettledRow<Row, Locked> {
  locked: Locked
  row: Row
  progress: PaymentProgress
  effects: readonly Effect[]
  nextCheckAt: Date | null
}

/** How the rows of a kind are locked and settled; the calls and their order are the same for all kinds. */
export interface RowKind<Row extends DrivenRow, Locked extends object> {
  kind: Intent['kind']
  /** First part of the names of log events. */
  name: string
  /** Name of the job that drives rows that are due. */
  job: string
  /** Name of the id in log events. */
  idField: string
  takeLease(sql: ScopedSql, request: LeaseRequest): Promise<Lease | null>
  lockRow(em: Transaction['em'], id: string): Promise<Row>
  /** Locks what a settlement changes, before the row is locked. */
  lockForSettlement(transaction: Transaction, id: string): Promise<Locked>
  /** Remembers what is known of a row, before it changes. Returns what publishes the change. */
  watch(transaction: Transaction, row: Row): () => Promise<void>
  /** Stores a new progress with everything that follows from it. */
  settle(transaction: Transaction, settled: SettledRow<Row, Locked>): Promise<void>
}

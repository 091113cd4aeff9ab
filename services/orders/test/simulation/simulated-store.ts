import type { Order } from '../../src/orders/order.ts'
import type { PaymentProgress } from '../../src/payments/payment-progress.ts'
import { rankState } from '../../src/payments/fold.ts'
import type { RefundProgress } from '../../src/refunds/refund-progress.ts'

/** Something that must never be: the simulation found a fault. */
export class Violation extends Error {}

export function assertHolds(condition: boolean, message: string): void {
  if (!condition) throw new Violation(message)
}

/** A row of `payments`, or of `payment_setups` with the order of its trial. */
export interface PaymentRow {
  progress: PaymentProgress
  order: Order
  terms: string
  methodId: number
  nextCheckAt: number | null
  leasedUntil: number
  captured: bigint
  /** `stored`: of a setup. */
  use: 'applied' | 'surplus' | 'stored' | null
  refunding: bigint
  refunded: bigint
}

/** A row of `refunds`. */
export interface RefundRow {
  progress: RefundProgress
  payment: PaymentRow
  purpose: 'order' | 'surplus'
  amount: bigint
  taxAmount: bigint
  nextCheckAt: number | null
  leasedUntil: number
}

/** A row of `trial_redemptions`, with what its product demands. */
interface RedeemedTrial {
  subscriptionId: string
  needsMethod: boolean
}

type Account = 'provider' | 'order' | 'unapplied' | 'refunds_under_way'

/** Rows of one customer with the constraints and triggers of the database. */
export class SimulatedStore {
  readonly orders: Order[] = []
  readonly payments: PaymentRow[] = []
  readonly refunds: RefundRow[] = []
  /** The trial that the customer had of each product. */
  readonly trials = new Map<number, RedeemedTrial>()
  /** Rows that are checked again. */
  readonly duePayments = new Set<PaymentRow>()
  readonly dueRefunds = new Set<RefundRow>()
  readonly ledger: Record<Account, bigint> = { provider: 0n, order: 0n, unapplied: 0n, refunds_under_way: 0n }

  insertPayment(row: PaymentRow): void {
    const others = this.payments.filter(({ order }) => order === row.order)
    assertHolds(!others.some(({ progress }) => isOpen(progress)), 'an order has two open payments')
    assertHolds((row.progress.money?.amount ?? 0n) === row.order.totalAmount, 'a payment is not of the amount of its order')
    this.payments.push(row)
    this.#schedule(row)
  }

  savePayment(row: PaymentRow, progress: PaymentProgress, nextCheckAt: Date | null): void {
    const before = row.progress
    assertHolds(
      rankState(progress.state) >= rankState(before.state) || isResent(before, progress),
      `a payment falls from ${before.state} to ${progress.state}`,
    )
    assertHolds(
      progress.preparation - before.preparation <= 1 && progress.submission - before.submission <= 1,
      'a number of a key is left out',
    )
    assertHolds(progress.submission < 10, 'a submission is repeated without end')
    row.progress = progress
    row.nextCheckAt = nextCheckAt && nextCheckAt.getTime()
    assertHolds(!isOpen(progress) || progress.quarantineReason !== null || row.nextCheckAt !== null, 'an open payment has no next check')
    assertHolds((progress.state === 'succeeded') === (row.use !== null), 'a payment succeeded without an amount')
    this.#schedule(row)
  }

  /** Stores that money was received, and books it. */
  capture(row: PaymentRow, use: 'applied' | 'surplus', amount: bigint): void {
    assertHolds(row.use === null, 'a payment is captured twice')
    const isFirst = !this.payments.some((other) => other.order === row.order && other.use === 'applied')
    assertHolds(use === 'surplus' || isFirst, 'an order is paid twice')
    assertHolds(
      use === 'surplus' || (amount === row.progress.money?.amount && amount === row.order.totalAmount),
      'a payment is applied in part',
    )
    row.use = use
    row.captured = amount
    this.#book('provider', use === 'applied' ? 'order' : 'unapplied', amount)
  }

  /** Stores that a method was stored without a payment. */
  storeMethod(row: PaymentRow): void {
    assertHolds(row.use === null && row.progress.kind === 'setup', 'a setup stores a second method')
    row.use = 'stored'
  }

  /** Stores that a customer has had the trial of a product. */
  redeemTrial(product: number, trial: RedeemedTrial): void {
    assertHolds(!this.trials.has(product), 'a customer has a second trial of a product')
    this.trials.set(product, trial)
  }

  /** The trial did not begin. */
  releaseTrial(subscriptionId: string): void {
    for (const [product, trial] of this.trials) if (trial.subscriptionId === subscriptionId) this.trials.delete(product)
  }

  insertRefund(row: RefundRow): void {
    this.refunds.push(row)
    row.payment.refunding += row.amount + row.taxAmount
    this.#book(this.#source(row), 'refunds_under_way', row.amount + row.taxAmount)
    this.#limit(row)
    this.#scheduleRefund(row)
  }

  saveRefund(row: RefundRow, progress: RefundProgress, nextCheckAt: Date | null): void {
    const [before, after] = [findStage(row.progress), findStage(progress)]
    const total = row.amount + row.taxAmount
    row.progress = progress
    row.nextCheckAt = nextCheckAt && nextCheckAt.getTime()
    assertHolds(after !== 'reserved' || row.nextCheckAt !== null, 'an open refund has no next check')
    this.#scheduleRefund(row)
    if (before === after) return
    row.payment.refunding -= before === 'reserved' ? total : 0n
    row.payment.refunded += (after === 'returned' ? total : 0n) - (before === 'returned' ? total : 0n)
    if (before === 'reserved') this.#book('refunds_under_way', after === 'returned' ? 'provider' : this.#source(row), total)
    else this.#book('provider', this.#source(row), total)
    this.#limit(row)
  }

  #limit({ payment }: RefundRow): void {
    assertHolds(payment.refunding >= 0n && payment.refunded >= 0n, 'a refund is released twice')
    assertHolds(payment.refunding + payment.refunded <= payment.captured, 'more is refunded than was captured')
  }

  #source({ purpose }: RefundRow): Account {
    return purpose === 'surplus' ? 'unapplied' : 'order'
  }

  #book(debit: Account, credit: Account, amount: bigint): void {
    assertHolds(amount > 0n, 'an entry of the ledger is not positive')
    this.ledger[debit] -= amount
    this.ledger[credit] += amount
  }

  #schedule(row: PaymentRow): void {
    if (row.nextCheckAt === null) this.duePayments.delete(row)
    else this.duePayments.add(row)
  }

  #scheduleRefund(row: RefundRow): void {
    if (row.nextCheckAt === null) this.dueRefunds.delete(row)
    else this.dueRefunds.add(row)
  }
}

export function isOpen({ state }: Pick<PaymentProgress, 'state'>): boolean {
  return state !== 'failed' && state !== 'succeeded'
}

/** A call that was certainly not executed is taken back. */
function isResent(before: PaymentProgress, after: PaymentProgress): boolean {
  return before.state === 'submitted' && after.state === 'prepared' && after.sends < before.sends
}

export function findStage({ state }: RefundProgress): 'reserved' | 'returned' | 'released' {
  if (state === 'succeeded') return 'returned'
  return state === 'failed' || state === 'canceled' ? 'released' : 'reserved'
}

import { defineEntity, p } from '@mikro-orm/core'
import { organizationFilter } from '@quittance/runtime/database'
import type { Transaction } from '@quittance/runtime/handler'
import { aggregateProperties } from '@quittance/runtime/schema'
import type { Initiator, PaymentProgress, PaymentState } from './payment-progress.ts'
import { progressProperties, readProgress, writeProgress } from './progress-columns.ts'

export const PaymentSchema = defineEntity({
  name: 'Payment',
  tableName: 'payments',
  properties: {
    ...aggregateProperties,
    ...progressProperties,
    organizationId: p.uuid(),
    orderId: p.uuid(),
    checkoutId: p.uuid().nullable(),
    amount: p.bigint('bigint'),
    currency: p.text(),
    /** For release 0.1.0: the token of a payment by the sandbox. */
    confirmationToken: p.text(),
    /** Follows `state`: what clients and release 0.1.0 know. */
    status: p.text().$type<'pending' | 'succeeded' | 'failed'>(),
    initiator: p.text().$type<Initiator>(),
    /** Terms of the order when it started; null for one of release 0.1.0. */
    termsHash: p.text().nullable(),
    /** How far the test clock of the organization was ahead when it started. */
    clockOffsetMs: p.bigint('number'),
    providerPayment: p.text().nullable(),
    providerCharge: p.text().nullable(),
    /** When its amount was counted for its order. */
    appliedAt: p.datetime().nullable(),
    /** When it was received although the order did not need it. */
    surplusAt: p.datetime().nullable(),
    capturedAmount: p.bigint('bigint').nullable(),
    /** For release 0.1.0: this one claims by `nextCheckAt`. */
    dueAt: p.datetime().nullable(),
  },
  filters: organizationFilter,
})

export class Payment extends PaymentSchema.class {
  toProgress(): PaymentProgress {
    return {
      ...readProgress(this),
      kind: 'charge',
      initiator: this.initiator,
      money: { amount: this.amount, currency: this.currency },
      theirs: this.providerPayment ?? null,
      charge: this.providerCharge ?? null,
    }
  }

  /** Stores a new progress. What follows from a settlement is stored by `settlePayment`. */
  apply(progress: PaymentProgress, at: { now: Date; nextCheckAt: Date | null }): void {
    writeProgress(this, progress, at)
    this.status = toStatus(progress.state)
    this.providerPayment = progress.theirs
    this.providerCharge = progress.charge
    this.dueAt = null
  }
}
PaymentSchema.setClass(Payment)

function toStatus(state: PaymentState): 'pending' | 'succeeded' | 'failed' {
  if (state === 'succeeded') return 'succeeded'
  return state === 'failed' || state === 'closing' ? 'failed' : 'pending'
}

/** Returns whether a payment of the order has no final state yet. */
export async function hasPaymentInProgress(orderId: string, em: Transaction['em']): Promise<boolean> {
  return (await em.count(Payment, { orderId, settledAt: null })) > 0
}

import { defineEntity, p } from '@mikro-orm/core'
import { organizationFilter } from '@quittance/runtime/database'
import type { Transaction } from '@quittance/runtime/handler'
import { aggregateProperties } from '@quittance/runtime/schema'
import type { Decline } from '../providers/declines.ts'
import type { BuyerAction, Intent, Mode } from '../providers/provider.ts'
import type { FailureReason, Initiator, PaymentProgress, PaymentState } from './payment-progress.ts'

/** What every call about a payment sends; frozen when the payment starts. */
export type PaymentRequest = Omit<Intent, 'id' | 'kind' | 'money' | 'payer'>

export const PaymentSchema = defineEntity({
  name: 'Payment',
  tableName: 'payments',
  properties: {
    ...aggregateProperties,
    /** Changes with the state, not with each check. */
    modifiedAt: p.datetime().nullable(),
    organizationId: p.uuid(),
    orderId: p.uuid(),
    checkoutId: p.uuid().nullable(),
    amount: p.bigint('bigint'),
    currency: p.text(),
    /** For the release before: the token of a payment by the sandbox. */
    confirmationToken: p.text(),
    /** Follows `state`: what clients and the release before know. */
    status: p.text().$type<'pending' | 'succeeded' | 'failed'>(),
    provider: p.text(),
    /** Null for the sandbox. */
    paymentAccountId: p.uuid().nullable(),
    mode: p.text().$type<Mode>(),
    paymentMethodId: p.uuid().nullable(),
    initiator: p.text().$type<Initiator>(),
    state: p.text().$type<PaymentState>(),
    request: p.json<PaymentRequest>(),
    /** Terms of the order when it started; null for one of the release before. */
    termsHash: p.text().nullable(),
    /** How far the test clock of the organization was ahead when it started. */
    clockOffsetMs: p.bigint('number'),
    providerPayment: p.text().nullable(),
    providerCharge: p.text().nullable(),
    preparation: p.integer(),
    submission: p.integer(),
    sends: p.integer(),
    firstSentAt: p.datetime().nullable(),
    sentAt: p.datetime().nullable(),
    submittedAt: p.datetime().nullable(),
    unansweredSince: p.datetime().nullable(),
    checks: p.integer(),
    nextCheckAt: p.datetime().nullable(),
    observedAt: p.datetime().nullable(),
    action: p.json<BuyerAction>().nullable(),
    actionUntil: p.datetime().nullable(),
    settledAt: p.datetime().nullable(),
    /** When its amount was counted for its order. */
    appliedAt: p.datetime().nullable(),
    /** When it was received although the order did not need it. */
    surplusAt: p.datetime().nullable(),
    capturedAmount: p.bigint('bigint').nullable(),
    declinedAt: p.datetime().nullable(),
    declineKind: p.text().$type<Decline['kind']>().nullable(),
    declineCode: p.text().$type<Decline['code']>().nullable(),
    providerCode: p.text().nullable(),
    retryNotBefore: p.datetime().nullable(),
    failureReason: p.text().$type<FailureReason>().nullable(),
    quarantinedAt: p.datetime().nullable(),
    quarantineReason: p.text().nullable(),
    /** For the release before: this one claims by `nextCheckAt`. */
    dueAt: p.datetime().nullable(),
    leasedUntil: p.datetime().nullable(),
    /** Trace of the request that started it. */
    traceparent: p.text().nullable(),
  },
  filters: organizationFilter,
})

export class Payment extends PaymentSchema.class {
  isSettled(): boolean {
    return this.state === 'failed' || this.state === 'succeeded'
  }

  toProgress(): PaymentProgress {
    const { id, state, initiator, createdAt, preparation, submission, sends, checks } = this
    return {
      ...{ id, kind: 'charge', state, initiator, createdAt, preparation, submission, sends, checks },
      money: { amount: this.amount, currency: this.currency },
      theirs: this.providerPayment ?? null,
      charge: this.providerCharge ?? null,
      firstSentAt: this.firstSentAt ?? null,
      sentAt: this.sentAt ?? null,
      unansweredSince: this.unansweredSince ?? null,
      observedAt: this.observedAt ?? null,
      action: this.action ?? null,
      actionUntil: this.actionUntil ?? null,
      checkAfterMs: null,
      decline: this.toDecline(),
      declinedAt: this.declinedAt ?? null,
      failureReason: this.failureReason ?? null,
      quarantineReason: this.quarantineReason ?? null,
      untouchedAt: null,
    }
  }

  /** Stores a new progress. What follows from a settlement is stored by `settlePayment`. */
  apply(progress: PaymentProgress, { now, nextCheckAt }: { now: Date; nextCheckAt: Date | null }): void {
    const { state, preparation, submission, sends, firstSentAt, sentAt, unansweredSince, checks, observedAt, actionUntil } = progress
    const { declinedAt, failureReason, quarantineReason } = progress
    if (state !== this.state) this.modifiedAt = now
    Object.assign(this, { state, preparation, submission, sends, firstSentAt, sentAt, unansweredSince, checks, observedAt, actionUntil })
    Object.assign(this, { declinedAt, failureReason, quarantineReason, nextCheckAt })
    this.status = toStatus(state)
    this.providerPayment = progress.theirs
    this.providerCharge = progress.charge
    this.action = progress.action
    this.declineKind = progress.decline?.kind ?? null
    this.declineCode = progress.decline?.code ?? null
    this.providerCode = progress.decline?.providerCode ?? null
    this.retryNotBefore = progress.decline?.notBefore ?? null
    this.submittedAt = submission > 0 ? (this.submittedAt ?? sentAt) : null
    this.settledAt = this.isSettled() ? (this.settledAt ?? now) : null
    this.quarantinedAt = quarantineReason === null ? null : (this.quarantinedAt ?? now)
    this.dueAt = null
  }

  private toDecline(): Decline | null {
    if (!this.declineKind || !this.declineCode) return null
    const { declineKind: kind, declineCode: code, providerCode, retryNotBefore } = this
    return { kind, code, providerCode: providerCode ?? null, notBefore: retryNotBefore ?? null }
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

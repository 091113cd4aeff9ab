import { defineEntity, p } from '@mikro-orm/core'
import type { Metadata } from '@quittance/contracts/metadata'
import type { Refund as RefundShape, Refund as RefundReply } from '@quittance/contracts/refunds'
import { organizationFilter } from '@quittance/runtime/database'
import { aggregateProperties } from '@quittance/runtime/schema'
import type { View } from '@quittance/sql/view'
import type { RefundProgress, RefundState } from './refund-progress.ts'

export const RefundSchema = defineEntity({
  name: 'Refund',
  tableName: 'refunds',
  properties: {
    ...aggregateProperties,
    /** Changes with the state, not with each check. */
    modifiedAt: p.datetime().nullable(),
    organizationId: p.uuid(),
    orderId: p.uuid(),
    status: p.text().$type<RefundShape['status']>(),
    reason: p.text().$type<RefundShape['reason']>(),
    amount: p.bigint('bigint'),
    taxAmount: p.bigint('bigint'),
    currency: p.text(),
    comment: p.text().nullable(),
    revokeBenefits: p.boolean(),
    metadata: p.json<Metadata>(),
    paymentId: p.uuid(),
    /** `surplus`: returns money that no order needs; not listed among refunds. */
    purpose: p.text().$type<'order' | 'surplus'>(),
    state: p.text().$type<RefundState>(),
    providerRefund: p.text().nullable(),
    submission: p.integer(),
    sends: p.integer(),
    firstSentAt: p.datetime().nullable(),
    sentAt: p.datetime().nullable(),
    unansweredSince: p.datetime().nullable(),
    checks: p.integer(),
    observedAt: p.datetime().nullable(),
    failureReason: p.text().nullable(),
    /** When its creation was published. */
    publishedAt: p.datetime().fieldName('told_at').nullable(),
    quarantinedAt: p.datetime().nullable(),
    quarantineReason: p.text().nullable(),
    nextCheckAt: p.datetime().nullable(),
    /** For release 0.1.0: this one uses `nextCheckAt`. */
    dueAt: p.datetime().nullable(),
    leasedUntil: p.datetime().nullable(),
  },
  filters: organizationFilter,
})

export class Refund extends RefundSchema.class {
  toProgress(): RefundProgress {
    const { id, state, submission, sends, checks } = this
    return {
      id,
      state,
      submission,
      sends,
      checks,
      theirs: this.providerRefund ?? null,
      firstSentAt: this.firstSentAt ?? null,
      sentAt: this.sentAt ?? null,
      unansweredSince: this.unansweredSince ?? null,
      observedAt: this.observedAt ?? null,
      checkAfterMs: null,
      failureReason: this.failureReason ?? null,
      quarantineReason: this.quarantineReason ?? null,
    }
  }

  /** Stores a new progress. The database books it. */
  apply(progress: RefundProgress, { now, nextCheckAt }: { now: Date; nextCheckAt: Date | null }): void {
    const { state, submission, sends, firstSentAt, sentAt, unansweredSince, checks, observedAt, failureReason, quarantineReason } = progress
    if (state !== this.state) this.modifiedAt = now
    Object.assign(this, {
      state,
      submission,
      sends,
      firstSentAt,
      sentAt,
      unansweredSince,
      checks,
      observedAt,
      failureReason,
      quarantineReason,
    })
    this.status = isRefundOpen(state) ? 'pending' : state
    this.providerRefund = progress.theirs
    this.nextCheckAt = nextCheckAt
    this.quarantinedAt = quarantineReason === null ? null : (this.quarantinedAt ?? now)
    this.dueAt = null
  }
}
RefundSchema.setClass(Refund)

function isRefundOpen(state: RefundState): state is 'created' | 'submitted' | 'processing' {
  return state === 'created' || state === 'submitted' || state === 'processing'
}

/** State of a refund before the first call. */
export const newRefundState = {
  status: 'pending',
  state: 'created',
  submission: 0,
  sends: 0,
  checks: 0,
  publishedAt: null,
  dueAt: null,
  leasedUntil: null,
} as const

export const refundView: View<RefundReply> = {
  name: 'refund',
  organization: 'r.organization_id',
  from: `(select * from refunds where purpose = 'order') r`,
  references: { o: { table: 'orders', foreignKey: 'r.order_id' } },
  lookupJoins: 'join orders sold on sold.id = r.order_id',
  key: 'r.id',
  counter: { list: 'refunds', time: 'r.created_at' },
  columns: `r.id, r.created_at, r.modified_at, r.metadata, r.status, r.reason, r.amount, r.tax_amount, r.currency, r.organization_id,
    r.order_id, sold.subscription_id, sold.customer_id, r.revoke_benefits, null as dispute`,
}

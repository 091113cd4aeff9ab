import { defineEntity, p } from '@mikro-orm/core'
import type { Metadata } from '@quittance/contracts/metadata'
import type { Refund as RefundShape, Refund as RefundReply } from '@quittance/contracts/refunds'
import { organizationFilter } from '@quittance/runtime/database'
import { aggregateProperties } from '@quittance/runtime/schema'
import type { View } from '@quittance/runtime/view'

export const RefundSchema = defineEntity({
  name: 'Refund',
  tableName: 'refunds',
  properties: {
    ...aggregateProperties,
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
    /** When to request the refund from the processor, again if the result is unknown; null once it has refunded. */
    nextCheckAt: p.datetime().nullable(),
    /** When to check with the processor whether the refund is final; null if no check is needed. */
    dueAt: p.datetime().nullable(),
    leasedUntil: p.datetime().nullable(),
  },
  filters: organizationFilter,
})

export class Refund extends RefundSchema.class {
  /**
   * Records that the processor has refunded; `checkAt` is when to check whether the refund is final. Returns false if this was already
   * known.
   */
  succeed(checkAt: Date | null): boolean {
    if (this.status !== 'pending') return false
    this.status = 'succeeded'
    this.nextCheckAt = null
    this.leasedUntil = null
    this.dueAt = checkAt
    return true
  }

  /** Records the result of a check. Returns false if there was one before, or nothing changed. */
  settle(status: 'succeeded' | 'failed'): boolean {
    if (this.status !== 'succeeded' || !this.dueAt) return false
    this.dueAt = null
    this.leasedUntil = null
    this.status = status
    return status === 'failed'
  }
}
RefundSchema.setClass(Refund)

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

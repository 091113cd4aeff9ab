import { defineEntity, p } from '@mikro-orm/core'
import type { Metadata } from '@quittance/contracts/metadata'
import type { Refund as RefundShape } from '@quittance/contracts/refunds'
import { organizationFilter } from '@quittance/runtime/database'
import { aggregate } from '@quittance/runtime/entity'

export const RefundSchema = defineEntity({
  name: 'Refund',
  tableName: 'refunds',
  properties: {
    ...aggregate,
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
    /** When the processor is asked whether it stood; null where it need not be. */
    dueAt: p.datetime().nullable(),
    leasedUntil: p.datetime().nullable(),
  },
  filters: organizationFilter,
})

export class Refund extends RefundSchema.class {
  /** The processor was asked. False when it had been before, or nothing changed. */
  settle(status: 'succeeded' | 'failed'): boolean {
    if (this.status !== 'succeeded' || !this.dueAt) return false
    this.dueAt = null
    this.leasedUntil = null
    this.status = status
    return status === 'failed'
  }
}
RefundSchema.setClass(Refund)

import { defineEntity, p } from '@mikro-orm/core'
import { organizationFilter } from '@quittance/runtime/database'
import { aggregateProperties } from '@quittance/runtime/schema'

export const PaymentSchema = defineEntity({
  name: 'Payment',
  tableName: 'payments',
  properties: {
    ...aggregateProperties,
    organizationId: p.uuid(),
    orderId: p.uuid(),
    checkoutId: p.uuid().nullable(),
    amount: p.bigint('bigint'),
    currency: p.text(),
    confirmationToken: p.text(),
    status: p.text().$type<'pending' | 'succeeded' | 'failed'>(),
    /** Time of the next processor call; null while nothing is due. */
    dueAt: p.datetime().nullable(),
    leasedUntil: p.datetime().nullable(),
    /** Trace of the request that started it. */
    traceparent: p.text().nullable(),
  },
  filters: organizationFilter,
})

export class Payment extends PaymentSchema.class {
  /** Returns false if it was already settled. */
  markSucceeded(): boolean {
    if (this.status !== 'pending') return false
    this.settle('succeeded')
    return true
  }

  /** Returns false if it was already settled. */
  markFailed(): boolean {
    if (this.status !== 'pending') return false
    this.settle('failed')
    return true
  }

  private settle(status: 'succeeded' | 'failed'): void {
    this.status = status
    this.dueAt = null
    this.leasedUntil = null
  }
}
PaymentSchema.setClass(Payment)

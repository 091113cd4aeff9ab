import { defineEntity, p } from '@mikro-orm/core'
import { organizationFilter } from '@quittance/runtime/database'
import { aggregate } from '@quittance/runtime/entity'

export const PaymentSchema = defineEntity({
  name: 'Payment',
  tableName: 'payments',
  properties: {
    ...aggregate,
    organizationId: p.uuid(),
    orderId: p.uuid(),
    checkoutId: p.uuid().nullable(),
    amount: p.bigint('bigint'),
    currency: p.text(),
    confirmationToken: p.text(),
    status: p.text().$type<'pending' | 'succeeded' | 'failed'>(),
    /** When the processor is asked next; null while nothing is due. */
    dueAt: p.datetime().nullable(),
    leasedUntil: p.datetime().nullable(),
    /** The request that began it. */
    traceparent: p.text().nullable(),
  },
  filters: organizationFilter,
})

export class Payment extends PaymentSchema.class {
  /** False when it was settled before. */
  succeed(): boolean {
    if (this.status !== 'pending') return false
    this.settle('succeeded')
    return true
  }

  /** False when it was settled before. */
  decline(): boolean {
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

import { defineEntity, p } from '@mikro-orm/core'
import type { InvoiceSource } from '@quittance/contracts/orders'
import { organizationFilter } from '@quittance/runtime/database'
import { aggregate } from '@quittance/runtime/entity'

export const InvoiceSchema = defineEntity({
  name: 'Invoice',
  tableName: 'invoices',
  properties: {
    ...aggregate,
    organizationId: p.uuid(),
    orderId: p.uuid(),
    number: p.text(),
    status: p.text().$type<'requested' | 'generated' | 'failed'>(),
    source: p.json<InvoiceSource>(),
    /** Date of issue. */
    requestedAt: p.datetime(),
    generatedAt: p.datetime().nullable(),
    /** Tries begun. Also the fence of a lease: whoever holds an older count has lost it. */
    attempts: p.integer(),
    nextAttemptAt: p.datetime().nullable(),
    leasedUntil: p.datetime().nullable(),
    lastError: p.text().nullable(),
  },
  filters: organizationFilter,
})

/** Waits after the first try, the second, …; after one more it is `failed`. A browser that died is back within the first. */
const retryAfterSeconds = [1, 2, 5, 15, 60, 300, 900]
export const maxAttempts = retryAfterSeconds.length + 1

export class Invoice extends InvoiceSchema.class {
  /** False for a try that lost its lease, or an invoice that is settled: its result must be thrown away. */
  isHeldBy(attempt: number): boolean {
    return this.status === 'requested' && this.attempts === attempt
  }

  /** Its document is stored in the same transaction; the database refuses any change from here on. */
  markGenerated(now: Date): void {
    this.status = 'generated'
    this.generatedAt = now
    this.nextAttemptAt = null
    this.leasedUntil = null
    this.lastError = null
  }

  recordFailure(reason: string, now: Date): void {
    const wait = retryAfterSeconds[this.attempts - 1]
    this.lastError = reason
    this.leasedUntil = null
    this.nextAttemptAt = wait === undefined ? null : new Date(now.getTime() + wait * 1000)
    if (wait === undefined) this.status = 'failed'
  }

  /** Asked for again after it failed: the same number gets another round of tries. */
  revive(now: Date): void {
    if (this.status !== 'failed') return
    this.status = 'requested'
    this.attempts = 0
    this.nextAttemptAt = now
  }
}
InvoiceSchema.setClass(Invoice)

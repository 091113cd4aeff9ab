import { defineEntity, p } from '@mikro-orm/core'
import type { InvoiceSource } from '@quittance/contracts/orders'
import { organizationFilter } from '@quittance/runtime/database'
import { aggregate } from '@quittance/runtime/entity'
import type { FrozenDocument } from './frozen-document.ts'

export type DocumentKind = 'invoice' | 'credit_note'

/** An invoice, or a credit note that takes one back. */
export const InvoiceSchema = defineEntity({
  name: 'Invoice',
  tableName: 'invoices',
  properties: {
    ...aggregate,
    organizationId: p.uuid(),
    kind: p.text().$type<DocumentKind>(),
    orderId: p.uuid(),
    number: p.text(),
    /** What stands before the figures, and the figures. */
    series: p.text(),
    position: p.bigint('bigint'),
    status: p.text().$type<'requested' | 'generated' | 'failed'>(),
    source: p.json<InvoiceSource>(),
    /** All that the document says; null in those from before it was kept. */
    printed: p.json<FrozenDocument>().nullable(),
    /** The invoice that a credit note takes back. */
    correctsId: p.uuid().nullable(),
    /** The wrong invoice that this one stands for. */
    replacesId: p.uuid().nullable(),
    /** What a credit note was issued for; null where the invoice was wrong. */
    refundId: p.uuid().nullable(),
    /** Date of issue. */
    requestedAt: p.datetime(),
    generatedAt: p.datetime().nullable(),
    /** What its document is; null until there is one. */
    format: p.text().$type<'pdf' | 'factur-x'>().nullable(),
    /** Why it is no electronic invoice although the seller wants them, in sentences for the seller. */
    notElectronic: p.json<string[]>(),
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

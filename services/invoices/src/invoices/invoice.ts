import { defineEntity, p } from '@mikro-orm/core'
import { organizationFilter } from '@quittance/runtime/database'
import { aggregateProperties } from '@quittance/runtime/schema'
import type { DocumentKind } from '../series/number-format.ts'
import type { DocumentSnapshot, DocumentSource } from './document-snapshot.ts'

/** An invoice or a credit note. */
export const InvoiceSchema = defineEntity({
  name: 'Invoice',
  tableName: 'invoices',
  properties: {
    ...aggregateProperties,
    organizationId: p.uuid(),
    kind: p.text().$type<DocumentKind>(),
    orderId: p.uuid(),
    number: p.text(),
    /** Prefix of the number (series) and its numeric part (position). */
    series: p.text(),
    position: p.bigint('bigint'),
    status: p.text().$type<'requested' | 'generated' | 'failed'>(),
    source: p.json<DocumentSource>(),
    /** Complete content of the document; null if it was issued before contents were stored. */
    printed: p.json<DocumentSnapshot>().nullable(),
    /** Invoice that a credit note corrects. */
    correctsId: p.uuid().nullable(),
    /** Incorrect invoice that this one replaces. */
    replacesId: p.uuid().nullable(),
    /** Credit note that this invoice reverses, because its refund was returned. */
    reversesId: p.uuid().nullable(),
    /** Refund that a credit note was issued for; null if it corrects an invoice. */
    refundId: p.uuid().nullable(),
    /** Date of issue. */
    requestedAt: p.datetime(),
    generatedAt: p.datetime().nullable(),
    /** Format of the document; null until it is stored. */
    format: p.text().$type<'pdf' | 'factur-x'>().nullable(),
    /** Reasons why the document is not an electronic invoice although the seller wants one, as sentences for the seller. */
    notElectronic: p.json<string[]>(),
    /** Number of attempts. Also the fencing token of the lease: a worker with a lower count has lost it. */
    attempts: p.integer(),
    nextAttemptAt: p.datetime().nullable(),
    leasedUntil: p.datetime().nullable(),
    lastError: p.text().nullable(),
  },
  filters: organizationFilter,
})

/**
 * Delays after the first attempt, the second, and so on; after one more attempt the invoice is `failed`. A crashed browser is replaced
 * within the first delay.
 */
const retryAfterSeconds = [1, 2, 5, 15, 60, 300, 900]
export const maxAttempts = retryAfterSeconds.length + 1

export class Invoice extends InvoiceSchema.class {
  /** Returns false if the attempt lost its lease or the invoice is settled; its result must then be discarded. */
  isLeasedBy(attempt: number): boolean {
    return this.status === 'requested' && this.attempts === attempt
  }

  recordFailure(reason: string, now: Date): void {
    const wait = retryAfterSeconds[this.attempts - 1]
    this.lastError = reason
    this.leasedUntil = null
    this.nextAttemptAt = wait === undefined ? null : new Date(now.getTime() + wait * 1000)
    if (wait === undefined) this.status = 'failed'
  }

  /** Restarts the attempts of a failed invoice that is requested again. The number does not change. */
  resetAttempts(now: Date): void {
    if (this.status !== 'failed') return
    this.status = 'requested'
    this.attempts = 0
    this.nextAttemptAt = now
  }
}
InvoiceSchema.setClass(Invoice)

/** Returns the current invoice of an order: the first, or the last replacement. */
export function findCurrentInvoice(issued: readonly Invoice[]): Invoice | undefined {
  return issued.find(({ id, kind, reversesId }) => kind === 'invoice' && !reversesId && !issued.some(({ replacesId }) => replacesId === id))
}

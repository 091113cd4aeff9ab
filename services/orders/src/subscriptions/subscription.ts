import { defineEntity, p, raw } from '@mikro-orm/core'
import { BadRequest } from '@quittance/contracts/errors'
import type { Metadata } from '@quittance/contracts/metadata'
import { ResourceUnavailable, type CancellationReason, type SubscriptionStatus } from '@quittance/contracts/subscriptions'
import { customerFilter, organizationFilter } from '@quittance/runtime/database'
import { aggregateProperties } from '@quittance/runtime/schema'
import type { OrganizationClock } from '../organizations/organization.ts'
import type { ProductPrice } from '../catalog/products/product.ts'
import { periodEnd, type RecurringInterval } from '../pricing/billing-period.ts'
import type { CancellationDetails, PurchasedProduct } from './subscription-input.ts'
import {
  billableStatuses,
  canTransition,
  createAlreadyCanceledError,
  createUpdatePendingError,
  isTerminal,
  retryDelayMs,
  type SubscriptionSnapshot,
} from './subscription-status.ts'

const filterByCheckout = (checkoutId: string) => ({
  [raw((alias) => `${alias}.id = (select x.subscription_id from orders x where x.checkout_id = ?)`, [checkoutId])]: [],
})

export const SubscriptionSchema = defineEntity({
  name: 'Subscription',
  tableName: 'subscriptions',
  properties: {
    ...aggregateProperties,
    organizationId: p.uuid(),
    status: p.text().$type<SubscriptionStatus>(),
    currency: p.text(),
    /** The advertised price of a period; `amount` is this price less the discount. */
    priceAmount: p.bigint('bigint'),
    amount: p.bigint('bigint'),
    /** Cost of the current period, from which a product change computes its credit. */
    periodAmount: p.bigint('bigint'),
    recurringInterval: p.text().$type<RecurringInterval>(),
    anchorDay: p.integer(),
    currentPeriodStart: p.datetime(),
    currentPeriodEnd: p.datetime(),
    cancelAtPeriodEnd: p.boolean(),
    canceledAt: p.datetime().nullable(),
    startedAt: p.datetime().nullable(),
    endsAt: p.datetime().nullable(),
    endedAt: p.datetime().nullable(),
    customerId: p.uuid(),
    productId: p.uuid(),
    productPriceId: p.uuid(),
    /** Product from the next period on; null if it does not change. */
    pendingProductId: p.uuid().nullable(),
    discountId: p.uuid().nullable(),
    /** Start of the first period the discount lowers. */
    discountFrom: p.datetime().nullable(),
    checkoutId: p.uuid().nullable(),
    customerCancellationReason: p.text().$type<CancellationReason>().nullable(),
    customerCancellationComment: p.text().nullable(),
    /** Method for renewals; null for the customer's default. */
    paymentMethodId: p.uuid().nullable(),
    /** For the release before: token of the sandbox for renewals; null if nothing ever had to be paid. */
    paymentToken: p.text().nullable(),
    failedCharges: p.integer(),
    metadata: p.json<Metadata>(),
    /** Next time the job handles it, in real time; null while a payment is pending, and after the end. */
    dueAt: p.datetime().nullable(),
    leasedUntil: p.datetime().nullable(),
  },
  filters: { ...organizationFilter, ...customerFilter(filterByCheckout) },
})

export class Subscription extends SubscriptionSchema.class {
  snapshot(): SubscriptionSnapshot {
    return { status: this.status, canceledAt: this.canceledAt ?? null, endsAt: this.endsAt ?? null }
  }

  /** Returns the period after the current one. */
  nextPeriod(): { start: Date; end: Date } {
    const cadence = { interval: this.recurringInterval, anchorDay: this.anchorDay }
    return { start: this.currentPeriodEnd, end: periodEnd(this.currentPeriodEnd, cadence) }
  }

  /** Starts the period and waits for its payment. */
  beginPeriod({ start, end }: { start: Date; end: Date }): void {
    this.currentPeriodStart = start
    this.currentPeriodEnd = end
    if (this.cancelAtPeriodEnd) this.endsAt = end
    this.awaitPayment()
  }

  /** Changes the interval: the current period ends now, and one of the new length starts. */
  restart(interval: RecurringInterval, clock: OrganizationClock): void {
    const start = clock.now
    const anchorDay = start.getUTCDate()
    this.recurringInterval = interval
    this.anchorDay = anchorDay
    if (this.discountFrom && this.discountFrom > start) this.discountFrom = start
    this.beginPeriod({ start, end: periodEnd(start, { interval, anchorDay }) })
    this.dueAt = clock.toReal(this.currentPeriodEnd)
  }

  applyPrice(price: ProductPrice): void {
    this.productPriceId = price.id
    this.productId = price.product.id
    this.pendingProductId = null
    this.priceAmount = price.amountFor(null)
    this.currency = price.priceCurrency ?? this.currency
  }

  /** Turns a free subscription into a paid one, from the period that starts now. */
  upgrade(purchased: PurchasedProduct, discountAmount: bigint): void {
    const { productId, productPriceId, currency, priceAmount, discountId, paymentToken, paymentMethodId } = purchased
    Object.assign(this, { productId, productPriceId, currency, priceAmount, discountId, paymentToken, paymentMethodId })
    this.amount = purchased.priceAmount - discountAmount
    this.periodAmount = this.amount
    this.pendingProductId = null
    this.discountFrom = this.discountId ? this.currentPeriodStart : null
  }

  /** Applies from the next period on; null removes the discount. */
  applyDiscount(discountId: string | null, amount: bigint): void {
    if (isTerminal(this.status)) throw createAlreadyCanceledError()
    this.discountId = discountId
    this.discountFrom = discountId ? this.currentPeriodEnd : null
    this.amount = amount
  }

  /** Suspends the job until a payment is settled. */
  awaitPayment(): void {
    this.dueAt = null
    this.leasedUntil = null
  }

  /** Records that the owed amount was paid. Returns false if no event follows. */
  markPaid(clock: OrganizationClock): boolean {
    if (isTerminal(this.status)) return false
    const changed = this.status !== 'active'
    if (changed) this.move('active')
    this.startedAt ??= clock.now
    this.failedCharges = 0
    this.dueAt = clock.toReal(this.currentPeriodEnd)
    this.leasedUntil = null
    return changed
  }

  /**
   * Records a declined charge and schedules the next attempt; the last one revokes the subscription. Returns false if it had already ended,
   * or if another order was declined in the same attempt. An issuer may name the earliest time of the next attempt, in real time.
   */
  markPaymentFailed(clock: OrganizationClock, notBefore: Date | null = null): boolean {
    if (isTerminal(this.status) || (this.status === 'past_due' && this.dueAt)) return false
    const waitMs = retryDelayMs(this.failedCharges)
    this.failedCharges += 1
    if (this.status === 'incomplete') this.finish('incomplete_expired', clock.now)
    else if (waitMs === null) this.revoke(clock.now)
    else {
      if (this.status !== 'past_due') this.move('past_due')
      const dueAt = clock.toReal(new Date(clock.now.getTime() + waitMs))
      this.dueAt = notBefore && notBefore > dueAt ? notBefore : dueAt
      this.leasedUntil = null
    }
    return true
  }

  /** Schedules another attempt, unless one is scheduled, without counting a failure. */
  ensureNextAttempt(clock: OrganizationClock): void {
    this.dueAt ??= clock.toReal(new Date(clock.now.getTime() + (retryDelayMs(this.failedCharges - 1) ?? 0)))
  }

  /** Schedules the end for the end of the period. Throws `AlreadyCanceledSubscription` if that is already decided. */
  cancel(now: Date, cancellation: CancellationDetails): void {
    this.assertRunning()
    this.canceledAt = now
    this.cancelAtPeriodEnd = true
    this.pendingProductId = null
    this.endsAt = this.currentPeriodEnd
    this.recordCancellation(cancellation)
  }

  /** Keeps the product for the next period too. Throws `AlreadyCanceledSubscription` after the end. */
  dropPlannedProduct(): void {
    if (isTerminal(this.status)) throw createAlreadyCanceledError()
    this.pendingProductId = null
  }

  /** Withdraws a cancellation. Throws `ResourceUnavailable` after the end, `BadRequest` if none is scheduled. */
  uncancel(): void {
    if (isTerminal(this.status)) throw new ResourceUnavailable('Unavailable')
    if (!this.cancelAtPeriodEnd) throw new BadRequest('Bad request')
    this.canceledAt = null
    this.cancelAtPeriodEnd = false
    this.endsAt = null
    this.customerCancellationReason = null
    this.customerCancellationComment = null
  }

  /** Ends it now. */
  revoke(now: Date, cancellation: CancellationDetails = {}): void {
    if (isTerminal(this.status)) throw createAlreadyCanceledError()
    this.cancelAtPeriodEnd = false
    this.canceledAt ??= now
    this.endsAt = now
    this.recordCancellation(cancellation)
    this.finish('canceled', now)
  }

  /** Returns whether the scheduled end has been reached. */
  isEndDue(now: Date): boolean {
    return this.cancelAtPeriodEnd && now >= this.currentPeriodEnd
  }

  /** Ends it at the scheduled end. */
  end(): void {
    this.finish('canceled', this.currentPeriodEnd)
  }

  recordCancellation({ reason, comment }: CancellationDetails): void {
    if (reason !== undefined) this.customerCancellationReason = reason
    if (comment !== undefined) this.customerCancellationComment = comment
  }

  /** Throws `AlreadyCanceledSubscription` unless it continues. */
  assertRunning(): void {
    if (!billableStatuses.includes(this.status) || this.cancelAtPeriodEnd) throw createAlreadyCanceledError()
  }

  /** Throws unless its product can change: not after an end, before a scheduled end, or while the first payment is pending. */
  assertChangeable(): void {
    if (this.status === 'incomplete') throw createUpdatePendingError()
    this.assertRunning()
    if (this.status === 'past_due') throw createAlreadyCanceledError()
  }

  private finish(status: 'canceled' | 'incomplete_expired', at: Date): void {
    this.move(status)
    this.endedAt = at
    this.pendingProductId = null
    this.awaitPayment()
  }

  private move(to: SubscriptionStatus): void {
    if (!canTransition(this.status, to)) throw new Error(`Subscription ${this.id} cannot change from ${this.status} to ${to}`)
    this.status = to
  }
}
SubscriptionSchema.setClass(Subscription)

import { BadRequest } from '@quittance/contracts/errors'
import type { SubscriptionStatus } from '@quittance/contracts/subscription-status'
import { ResourceUnavailable } from '@quittance/contracts/subscriptions'
import { retryDelayMs, type Dunning } from '../organizations/dunning.ts'
import type { OrganizationClock } from '../organizations/organization.ts'
import type { ProductPrice } from '../catalog/products/product.ts'
import { periodEnd, type RecurringInterval, trialEnd, type Trial } from '../pricing/billing-period.ts'
import type { CancellationDetails } from './subscription-input.ts'
import { SubscriptionSchema } from './subscription-schema.ts'
import {
  billableStatuses,
  canTransition,
  createAlreadyCanceledError,
  createUpdatePendingError,
  isTerminal,
  type SubscriptionSnapshot,
} from './subscription-status.ts'

export class Subscription extends SubscriptionSchema.class {
  snapshot(): SubscriptionSnapshot {
    return { status: this.status, canceledAt: this.canceledAt ?? null, endsAt: this.endsAt ?? null }
  }

  /** Makes the trial its first period: nothing is billed before its end. */
  planTrial(trial: Trial, clock: OrganizationClock): void {
    const start = clock.now
    const end = trialEnd(start, trial)
    Object.assign(this, { trialStart: start, trialEnd: end, currentPeriodStart: start, currentPeriodEnd: end })
    this.anchorDay = end.getUTCDate()
    this.discountFrom = this.discountId ? end : null
    this.periodAmount = 0n
  }

  /** Starts the planned trial. */
  startTrial(clock: OrganizationClock): void {
    this.move('trialing')
    this.startedAt = clock.now
    this.dueAt = clock.toReal(this.currentPeriodEnd)
  }

  /** Ends it with its trial, because there is no payment method: nothing is owed. */
  endWithTrial(): void {
    this.canceledAt = this.currentPeriodEnd
    this.endsAt = this.currentPeriodEnd
    this.end()
  }

  /** Returns whether its next period is the first one after the trial. */
  isLastOfTrial(): boolean {
    return this.status === 'trialing' && this.trialEnd?.getTime() === this.currentPeriodEnd.getTime()
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
    this.periodPriceId = null
    this.periodDiscountId = null
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
    if (this.status !== 'unpaid') this.dueAt = clock.toReal(this.currentPeriodEnd)
  }

  applyPrice(price: ProductPrice): void {
    this.productPriceId = price.id
    this.productId = price.product.id
    this.pendingProductId = null
    this.priceAmount = price.amountFor(null)
    this.currency = price.priceCurrency ?? this.currency
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
   * Records a declined charge and schedules the next attempt; after the last one the subscription ends, or is `unpaid` until the buyer pays.
   * Returns false if that had already happened, or if another order was declined in the same attempt. An issuer may name the earliest time
   * of the next attempt, in real time.
   */
  markPaymentFailed(clock: OrganizationClock, { dunning, notBefore = null }: { dunning: Dunning; notBefore?: Date | null }): boolean {
    if (isTerminal(this.status) || this.status === 'unpaid' || (this.status === 'past_due' && this.dueAt)) return false
    const waitMs = retryDelayMs(dunning, this.failedCharges)
    this.failedCharges += 1
    if (this.status === 'incomplete') this.finish('incomplete_expired', clock.now)
    else if (waitMs === null) this.giveUp(clock, dunning)
    else {
      if (this.status !== 'past_due') this.move('past_due')
      const dueAt = clock.toReal(new Date(clock.now.getTime() + waitMs))
      this.dueAt = this.limitToEnd(notBefore && notBefore > dueAt ? notBefore : dueAt, clock)
      this.leasedUntil = null
    }
    return true
  }

  /** Schedules another attempt, unless one is scheduled, without counting a failure. */
  ensureNextAttempt(clock: OrganizationClock, dunning: Dunning): void {
    const waitMs = retryDelayMs(dunning, this.failedCharges - 1) ?? 0
    this.dueAt ??= this.limitToEnd(clock.toReal(new Date(clock.now.getTime() + waitMs)), clock)
  }

  /**
   * Schedules the end for the end of the period; one that is `unpaid` has no paid period left and ends now. Throws
   * `AlreadyCanceledSubscription` if that is already decided.
   */
  cancel(clock: OrganizationClock, cancellation: CancellationDetails): void {
    if (this.status === 'unpaid') return this.revoke(clock.now, cancellation)
    this.assertRunning()
    this.canceledAt = clock.now
    this.cancelAtPeriodEnd = true
    this.pendingProductId = null
    this.endsAt = this.currentPeriodEnd
    if (this.dueAt) this.dueAt = this.limitToEnd(this.dueAt, clock)
    this.recordCancellation(cancellation)
  }

  /** Keeps the product for the next period too. Throws `AlreadyCanceledSubscription` after the end. */
  dropPlannedProduct(): void {
    if (isTerminal(this.status)) throw createAlreadyCanceledError()
    this.pendingProductId = null
  }

  /** Withdraws a cancellation. Throws `ResourceUnavailable` after the end, `BadRequest` if none is scheduled, with the texts of the contract. */
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

  /** Returns whether a checkout can turn it into a paid one: it is free, and has not ended. */
  isUpgradable(): boolean {
    return this.priceAmount === 0n && !isTerminal(this.status)
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

  /** Returns the time of the next attempt, or of the scheduled end if that comes first. */
  private limitToEnd(at: Date, clock: OrganizationClock): Date {
    const end = clock.toReal(this.currentPeriodEnd)
    return this.cancelAtPeriodEnd && end < at ? end : at
  }

  /** One that ends with its period has no later one to pay for. */
  private giveUp(clock: OrganizationClock, { afterLastTry }: Dunning): void {
    if (afterLastTry === 'canceled' || this.cancelAtPeriodEnd) return this.revoke(clock.now)
    if (this.status !== 'past_due') this.move('past_due')
    this.move('unpaid')
    this.awaitPayment()
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

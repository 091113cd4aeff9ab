import { defineEntity, p } from '@mikro-orm/core'
import { BadRequest } from '@quittance/contracts/errors'
import type { Metadata } from '@quittance/contracts/metadata'
import {
  AlreadyCanceledSubscription,
  ResourceUnavailable,
  SubscriptionUpdatePending,
  type CancellationReason,
  type SubscriptionStatus,
} from '@quittance/contracts/subscriptions'
import { customerFilter, organizationFilter } from '@quittance/runtime/database'
import { aggregate } from '@quittance/runtime/entity'
import type { OrganizationClock } from '../organizations/clock.ts'
import type { ProductPrice } from '../products/product-price.ts'
import type { Standing } from './subscription-events.ts'
import { periodEnd, type RecurringInterval } from './subscription-period.ts'
import { billableStatuses, canMove, isEnd } from './subscription-status.ts'

export const SubscriptionSchema = defineEntity({
  name: 'Subscription',
  tableName: 'subscriptions',
  properties: {
    ...aggregate,
    organizationId: p.uuid(),
    status: p.text().$type<SubscriptionStatus>(),
    currency: p.text(),
    /** The price of a period as advertised; `amount` is it less the discount. */
    priceAmount: p.bigint('bigint'),
    amount: p.bigint('bigint'),
    /** What the current period cost, for what a change of product gives back of it. */
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
    discountId: p.uuid().nullable(),
    /** Begin of the first period the discount lowers. */
    discountFrom: p.datetime().nullable(),
    checkoutId: p.uuid().nullable(),
    customerCancellationReason: p.text().$type<CancellationReason>().nullable(),
    customerCancellationComment: p.text().nullable(),
    /** What renewals are charged with; null where nothing ever had to be paid. */
    paymentToken: p.text().nullable(),
    failedCharges: p.integer(),
    metadata: p.json<Metadata>(),
    /** When the job looks at it next, in real time; null while a payment is awaited, and after the end. */
    dueAt: p.datetime().nullable(),
    leasedUntil: p.datetime().nullable(),
  },
  filters: { ...organizationFilter, ...customerFilter },
})

/** Days after a declined charge until the next try; after the last one the subscription ends. */
const retryAfterDays = [1, 3, 5, 7]
const dayMs = 86_400_000

/** What a checkout is about. */
interface Bought {
  productId: string
  productPriceId: string
  currency: string
  priceAmount: bigint
  discountId?: string | null | undefined
}

/** Why the customer leaves, in their words. Absent keys leave what is there. */
export interface Parting {
  reason?: CancellationReason | null | undefined
  comment?: string | null | undefined
}

export class Subscription extends SubscriptionSchema.class {
  standing(): Standing {
    return { status: this.status, canceledAt: this.canceledAt ?? null, endsAt: this.endsAt ?? null }
  }

  /** The period after the current one. */
  nextPeriod(): { start: Date; end: Date } {
    const rhythm = { interval: this.recurringInterval, anchorDay: this.anchorDay }
    return { start: this.currentPeriodEnd, end: periodEnd(this.currentPeriodEnd, rhythm) }
  }

  /** Waits for the payment of the period from here on. */
  beginPeriod({ start, end }: { start: Date; end: Date }): void {
    this.currentPeriodStart = start
    this.currentPeriodEnd = end
    if (this.cancelAtPeriodEnd) this.endsAt = end
    this.await()
  }

  /** A new rhythm: the period ends here, and one of the other length begins. */
  restart(interval: RecurringInterval, clock: OrganizationClock): void {
    const start = clock.now
    const anchorDay = start.getUTCDate()
    this.recurringInterval = interval
    this.anchorDay = anchorDay
    if (this.discountFrom && this.discountFrom > start) this.discountFrom = start
    this.beginPeriod({ start, end: periodEnd(start, { interval, anchorDay }) })
    this.dueAt = clock.toReal(this.currentPeriodEnd)
  }

  takePrice(price: ProductPrice): void {
    this.productPriceId = price.id
    this.productId = price.product.id
    this.priceAmount = price.amountFor(null)
    this.currency = price.priceCurrency ?? this.currency
  }

  /** What was free costs from the period on that begins now. */
  upgrade(bought: Bought, { off, paymentToken }: { off: bigint; paymentToken: string | null }): void {
    this.productId = bought.productId
    this.productPriceId = bought.productPriceId
    this.currency = bought.currency
    this.priceAmount = bought.priceAmount
    this.amount = bought.priceAmount - off
    this.periodAmount = this.amount
    this.discountId = bought.discountId ?? null
    this.discountFrom = this.discountId ? this.currentPeriodStart : null
    this.paymentToken = paymentToken
  }

  /** From the next period on; null takes none. */
  takeDiscount(discountId: string | null, amount: bigint): void {
    if (isEnd(this.status)) throw alreadyCanceled()
    this.discountId = discountId
    this.discountFrom = discountId ? this.currentPeriodEnd : null
    this.amount = amount
  }

  /** Nothing to do until a payment is settled. */
  await(): void {
    this.dueAt = null
    this.leasedUntil = null
  }

  /** What is owed was paid. False when that changes nothing anyone is told of. */
  paid(clock: OrganizationClock): boolean {
    if (isEnd(this.status)) return false
    const changed = this.status !== 'active'
    if (changed) this.move('active')
    this.startedAt ??= clock.now
    this.failedCharges = 0
    this.dueAt = clock.toReal(this.currentPeriodEnd)
    this.leasedUntil = null
    return changed
  }

  /** A charge was declined: tried again after some days, and at last given up. False when it had ended before. */
  declined(clock: OrganizationClock): boolean {
    if (isEnd(this.status)) return false
    const wait = retryAfterDays[this.failedCharges]
    this.failedCharges += 1
    if (this.status === 'incomplete') this.finish('incomplete_expired', clock.now)
    else if (wait === undefined) this.revoke(clock.now)
    else {
      if (this.status !== 'past_due') this.move('past_due')
      this.dueAt = clock.toReal(new Date(clock.now.getTime() + wait * dayMs))
      this.leasedUntil = null
    }
    return true
  }

  /** Ends it when the period does. Throws `AlreadyCanceledSubscription` when that is settled already. */
  cancel(now: Date, parting: Parting): void {
    this.refuseUnlessRunning()
    this.canceledAt = now
    this.cancelAtPeriodEnd = true
    this.endsAt = this.currentPeriodEnd
    this.note(parting)
  }

  /** Takes a cancellation back. Throws `ResourceUnavailable` after the end, `BadRequest` when nothing is scheduled. */
  uncancel(): void {
    if (isEnd(this.status)) throw new ResourceUnavailable('Unavailable')
    if (!this.cancelAtPeriodEnd) throw new BadRequest('Bad request')
    this.canceledAt = null
    this.cancelAtPeriodEnd = false
    this.endsAt = null
    this.customerCancellationReason = null
    this.customerCancellationComment = null
  }

  /** Ends it now. */
  revoke(now: Date, parting: Parting = {}): void {
    if (isEnd(this.status)) throw alreadyCanceled()
    this.cancelAtPeriodEnd = false
    this.canceledAt ??= now
    this.endsAt = now
    this.note(parting)
    this.finish('canceled', now)
  }

  /** Whether the end that was scheduled has come. */
  isOver(now: Date): boolean {
    return this.cancelAtPeriodEnd && now >= this.currentPeriodEnd
  }

  /** The scheduled end has come. */
  end(): void {
    this.finish('canceled', this.currentPeriodEnd)
  }

  note({ reason, comment }: Parting): void {
    if (reason !== undefined) this.customerCancellationReason = reason
    if (comment !== undefined) this.customerCancellationComment = comment
  }

  /** Throws `AlreadyCanceledSubscription` unless it goes on. */
  refuseUnlessRunning(): void {
    if (!billableStatuses.includes(this.status) || this.cancelAtPeriodEnd) throw alreadyCanceled()
  }

  /** Throws unless its product can change: not after or before an end, nor while the first payment is awaited. */
  refuseUnlessChangeable(): void {
    if (this.status === 'incomplete') throw updatePending()
    this.refuseUnlessRunning()
    if (this.status === 'past_due') throw alreadyCanceled()
  }

  private finish(status: 'canceled' | 'incomplete_expired', at: Date): void {
    this.move(status)
    this.endedAt = at
    this.await()
  }

  private move(to: SubscriptionStatus): void {
    if (!canMove(this.status, to)) throw new Error(`Subscription ${this.id} cannot go from ${this.status} to ${to}`)
    this.status = to
  }
}
SubscriptionSchema.setClass(Subscription)

/** An order of it is not paid yet. */
export function updatePending(): SubscriptionUpdatePending {
  return new SubscriptionUpdatePending('This subscription is pending an update.')
}

function alreadyCanceled(): AlreadyCanceledSubscription {
  return new AlreadyCanceledSubscription('This subscription is already canceled or will be at the end of the period.')
}

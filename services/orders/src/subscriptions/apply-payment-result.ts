import type { Dunning } from '../organizations/dunning.ts'
import type { OrganizationClock } from '../organizations/organization.ts'
import type { Initiator } from '../payments/payment-progress.ts'
import type { OwedOrder } from './owed-orders.ts'
import type { Subscription } from './subscription.ts'

/** The settled payment of an order of a subscription. */
export interface PaymentResult {
  isPaid: boolean
  initiator: Initiator
  order: { id: string; billingReason: string }
  /** The earliest time of the next attempt that the issuer named. */
  notBefore: Date | null
}

interface Situation {
  clock: OrganizationClock
  dunning: Dunning
  /** Time of the database. */
  now: Date
  /** The unpaid orders of the subscription, where `needsOwedOrders`. */
  owed: readonly OwedOrder[]
}

/** Attempts beside the schedule, which they neither use up nor move: by the buyer, or after the buyer chose another default method, or on request of the seller. */
export function isExtraAttempt(initiator: Initiator): boolean {
  return initiator === 'buyer_again' || initiator === 'method_updated' || initiator === 'seller'
}

/** Whether other orders of the subscription decide what follows. */
export function needsOwedOrders({ status }: Pick<Subscription, 'status'>, { isPaid, initiator }: PaymentResult): boolean {
  if (status === 'past_due') return isPaid || isExtraAttempt(initiator)
  return status === 'unpaid' && isPaid
}

/** Changes a subscription that owes a voided order no longer, and returns whether it changed. No I/O. */
export function applyVoidedOrder(subscription: Subscription, { clock, dunning, owed }: Omit<Situation, 'now'>): boolean {
  const { status } = subscription
  if (status !== 'active' && status !== 'past_due' && status !== 'unpaid') return false
  if (owed.length === 0) {
    // The period of the voided order was not paid.
    if (status === 'unpaid') subscription.skipUnpaidPeriods(clock, { isPeriodPaid: false })
    return subscription.markPaid(clock)
  }
  scheduleOwed(subscription, { clock, dunning, owed })
  return false
}

/** An order without a payment in progress is charged by the next attempt, which must be scheduled; none follows while it is `unpaid`. */
function scheduleOwed(subscription: Subscription, { clock, dunning, owed }: Omit<Situation, 'now'>): void {
  const isWaiting = owed.some(({ isPaymentInProgress }) => !isPaymentInProgress)
  if (subscription.status === 'past_due' && isWaiting) subscription.ensureNextAttempt(clock, dunning)
}

/**
 * Changes a subscription by a settled payment, and returns whether it changed. While it owes another order, a paid one does not end that it is
 * past due. A declined attempt beside the schedule changes nothing, but that an attempt which waited for it follows at once. No I/O.
 */
export function applyPaymentResult(subscription: Subscription, result: PaymentResult, { clock, dunning, now, owed }: Situation): boolean {
  const { isPaid, initiator, order, notBefore } = result
  if (!isPaid && isExtraAttempt(initiator)) {
    const isWaited = owed.some(({ isPaymentInProgress }) => isPaymentInProgress)
    if (subscription.status === 'past_due' && !isWaited) subscription.dueAt ??= now
    return false
  }
  if (!isPaid) return subscription.markPaymentFailed(clock, { dunning, notBefore })
  // The first payment gave no access before: a period that has passed since is not the one it pays for.
  if (subscription.status === 'incomplete' && clock.now >= subscription.currentPeriodEnd) {
    subscription.restart(subscription.recurringInterval, clock)
    if (subscription.discountFrom) subscription.discountFrom = subscription.currentPeriodStart
  }
  const isUnpaid = subscription.status === 'unpaid'
  if (isUnpaid) subscription.skipUnpaidPeriods(clock, { isPeriodPaid: order.billingReason === 'subscription_cycle' })
  else if (subscription.status !== 'past_due') return subscription.markPaid(clock)
  const others = owed.filter(({ id }) => id !== order.id)
  if (others.length === 0) return subscription.markPaid(clock)
  scheduleOwed(subscription, { clock, dunning, owed: others })
  return isUnpaid
}

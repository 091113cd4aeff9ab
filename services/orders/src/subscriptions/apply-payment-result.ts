import type { Dunning } from '../organizations/dunning.ts'
import type { OrganizationClock } from '../organizations/organization.ts'
import type { Initiator } from '../payments/payment-progress.ts'
import type { OwedOrder } from './owed-orders.ts'
import { beginPaidPeriod, skipTimeWithoutAccess } from './paid-periods.ts'
import type { Subscription } from './subscription.ts'

/** The settled payment of an order of a subscription. */
export interface PaymentResult {
  isPaid: boolean
  initiator: Initiator
  /** `periodStart`: null unless it bills a period. */
  order: { id: string; periodStart?: Date | null | undefined }
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
    if (status !== 'active') skipTimeWithoutAccess(subscription, { clock, isPeriodPaid: false })
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
  const { status } = subscription
  if (status === 'incomplete') beginPaidPeriod(subscription, clock)
  if (status !== 'past_due' && status !== 'unpaid') return subscription.markPaid(clock)
  const others = owed.filter(({ id }) => id !== order.id)
  const isPeriodPaid = Boolean(order.periodStart)
  const hasMoved = (isPeriodPaid || others.length === 0) && skipTimeWithoutAccess(subscription, { clock, isPeriodPaid })
  if (others.length === 0) return subscription.markPaid(clock)
  scheduleOwed(subscription, { clock, dunning, owed: others })
  return hasMoved
}

import type { OrganizationClock } from '../organizations/organization.ts'
import { moveMonths } from '../pricing/billing-period.ts'
import type { Subscription } from './subscription.ts'

/**
 * Begins the period of an order with its payment, because the buyer had no access before. A discount moves with the periods that it lowers.
 * Attempts that are scheduled stay. No I/O.
 */
export function beginPaidPeriod(subscription: Subscription, clock: OrganizationClock): void {
  const { currentPeriodStart: from, discountFrom, dueAt, periodPriceId, periodDiscountId } = subscription
  subscription.restart(subscription.recurringInterval, clock)
  // The order bills it by the same price and discount.
  Object.assign(subscription, { dueAt: dueAt ?? null, periodPriceId: periodPriceId ?? null, periodDiscountId: periodDiscountId ?? null })
  if (!discountFrom) return
  const { currentPeriodStart: to, currentPeriodEnd } = subscription
  subscription.discountFrom = discountFrom > from ? currentPeriodEnd : moveMonths(discountFrom, { from, to })
}

/** Begins the next period now instead of at the end of the last one. */
function beginNextPeriod(subscription: Subscription, { now: to }: OrganizationClock): void {
  const { currentPeriodEnd: from, discountFrom } = subscription
  Object.assign(subscription, { currentPeriodEnd: to, anchorDay: to.getUTCDate() })
  if (discountFrom) subscription.discountFrom = moveMonths(discountFrom, { from, to })
}

/**
 * Leaves out the time for which a subscription that is `past_due` or `unpaid` gave no access, when an order of it is paid or voided, and returns
 * whether a period moved. The period of a paid order begins now; after another order the period that is paid continues, or the next one begins
 * now. A period of one that is `past_due` is only left once it is over, and one that ends with it has ended. No I/O.
 */
export function skipTimeWithoutAccess(
  subscription: Subscription,
  { clock, isPeriodPaid }: { clock: OrganizationClock; isPeriodPaid: boolean },
): boolean {
  const isOver = clock.now >= subscription.currentPeriodEnd
  if (subscription.isEndDue(clock.now) || (!isOver && !(isPeriodPaid && subscription.status === 'unpaid'))) return false
  if (isPeriodPaid) beginPaidPeriod(subscription, clock)
  else beginNextPeriod(subscription, clock)
  return true
}

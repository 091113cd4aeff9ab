import { LockMode } from '@mikro-orm/core'
import type { Transaction } from '@quittance/runtime/handler'
import { renewalJobName } from '../job-names.ts'
import { loadDunning, type Dunning } from '../organizations/dunning.ts'
import { type OrganizationClock, loadClock } from '../organizations/organization.ts'
import type { SettledPayment } from '../payments/after-payment-settled.ts'
import type { Payment } from '../payments/payment.ts'
import { findOwedOrders } from './owed-orders.ts'
import { publishSubscriptionChange } from './publish-subscription-change.ts'
import { scheduleFinalPayment } from './retry-final-orders.ts'
import { Subscription } from './subscription.ts'
import { isTerminal } from './subscription-status.ts'
import { publishRenewal } from './sync-benefits.ts'

/**
 * Handles the settled payment of a subscription order: the subscription becomes active once nothing is owed, or waits for the next attempt.
 * Ignores the order of an upgrade: `settleUpgradePayment` handles it.
 */
export async function settleSubscriptionPayment(context: Transaction, settled: SettledPayment): Promise<void> {
  const { em, wake } = context
  const { order, payment, isPaid } = settled
  if (!order.subscriptionId || order.isUpgrade()) return
  const subscription = await em.findOneOrFail(Subscription, { id: order.subscriptionId }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  // The method with which the buyer paid is the one of later payments.
  const isExtra = isExtraAttempt(payment)
  if (isPaid && (payment.checkoutId || isExtra) && payment.paymentMethodId) subscription.paymentMethodId = payment.paymentMethodId
  // An order between two periods does not show whether a payment for the next one is pending.
  if (isPaid && order.billingReason === 'subscription_update' && subscription.status === 'active') return
  const clock = await loadClock(context, order.organizationId)
  if (isTerminal(subscription.status)) {
    if (!isPaid && !isExtra) await scheduleFinalPayment(order, { context, clock })
    return
  }
  const before = subscription.snapshot()
  const dunning = await loadDunning(context.sql, order.organizationId)
  const changed = await applyResult(subscription, { settled, context, clock, dunning })
  if (changed) await publishSubscriptionChange(context, subscription, before)
  if (isPaid && order.billingReason === 'subscription_cycle') await publishRenewal(subscription, context)
  // Several periods may have passed; the next one is then already due.
  wake(renewalJobName)
}

/** Attempts beside the schedule, which they neither use up nor move: by the buyer, or after the buyer chose another default method, or on request of the seller. */
function isExtraAttempt({ initiator }: Pick<Payment, 'initiator'>): boolean {
  return initiator === 'buyer_again' || initiator === 'method_updated' || initiator === 'seller'
}

interface Result {
  settled: SettledPayment
  context: Transaction
  clock: OrganizationClock
  dunning: Dunning
}

/**
 * Returns whether the subscription changed. While it owes another order, a paid one does not end that it is past due. A declined attempt beside
 * the schedule changes nothing, but that an attempt which waited for it follows at once.
 */
async function applyResult(subscription: Subscription, { settled, context, clock, dunning }: Result): Promise<boolean> {
  const { order, payment, isPaid } = settled
  if (!isPaid && isExtraAttempt(payment)) {
    const isWaited = (await findOwedOrders(subscription, context)).some(({ isPaymentInProgress }) => isPaymentInProgress)
    if (subscription.status === 'past_due' && !isWaited) subscription.dueAt ??= context.now
    return false
  }
  if (!isPaid) return subscription.markPaymentFailed(clock, { dunning, notBefore: payment.retryNotBefore ?? null })
  const isUnpaid = subscription.status === 'unpaid'
  if (isUnpaid) subscription.skipUnpaidPeriods(clock, { isPeriodPaid: order.billingReason === 'subscription_cycle' })
  else if (subscription.status !== 'past_due') return subscription.markPaid(clock)
  const owed = (await findOwedOrders(subscription, context)).filter(({ id }) => id !== order.id)
  if (owed.length === 0) return subscription.markPaid(clock)
  // An order without a payment in progress is charged by the next attempt, which must be scheduled.
  if (!isUnpaid && owed.some(({ isPaymentInProgress }) => !isPaymentInProgress)) subscription.ensureNextAttempt(clock, dunning)
  return isUnpaid
}

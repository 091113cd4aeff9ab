import { LockMode } from '@mikro-orm/core'
import type { Transaction } from '@quittance/runtime/handler'
import { renewalJobName } from '../job-names.ts'
import { type OrganizationClock, loadClock } from '../organizations/organization.ts'
import type { SettledPayment } from '../payments/after-payment-settled.ts'
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
  const isByBuyer = payment.initiator === 'buyer_again'
  if (isPaid && (payment.checkoutId || isByBuyer) && payment.paymentMethodId) subscription.paymentMethodId = payment.paymentMethodId
  // An order between two periods does not show whether a payment for the next one is pending.
  if (isPaid && order.billingReason === 'subscription_update' && subscription.status === 'active') return
  const clock = await loadClock(context, order.organizationId)
  if (isTerminal(subscription.status)) {
    if (!isPaid && !isByBuyer) await scheduleFinalPayment(order, { context, clock })
    return
  }
  const before = subscription.snapshot()
  const changed = await applyResult(subscription, { settled, context, clock })
  if (changed) await publishSubscriptionChange(context, subscription, before)
  if (isPaid && order.billingReason === 'subscription_cycle') await publishRenewal(subscription, context)
  // Several periods may have passed; the next one is then already due.
  wake(renewalJobName)
}

interface Result {
  settled: SettledPayment
  context: Transaction
  clock: OrganizationClock
}

/**
 * Returns whether the subscription changed. While it owes another order, a paid one does not end that it is past due. A declined payment of the
 * buyer changes nothing, but that an attempt which waited for it follows at once.
 */
async function applyResult(subscription: Subscription, { settled, context, clock }: Result): Promise<boolean> {
  if (!settled.isPaid && settled.payment.initiator === 'buyer_again') {
    const isWaited = (await findOwedOrders(subscription, context)).some(({ isPaymentInProgress }) => isPaymentInProgress)
    if (subscription.status === 'past_due' && !isWaited) subscription.dueAt ??= context.now
    return false
  }
  if (!settled.isPaid) return subscription.markPaymentFailed(clock, settled.payment.retryNotBefore ?? null)
  if (subscription.status !== 'past_due') return subscription.markPaid(clock)
  const owed = (await findOwedOrders(subscription, context)).filter(({ id }) => id !== settled.order.id)
  if (owed.length === 0) return subscription.markPaid(clock)
  // An order without a payment in progress is charged by the next attempt, which must be scheduled.
  if (owed.some(({ isPaymentInProgress }) => !isPaymentInProgress)) subscription.ensureNextAttempt(clock)
  return false
}

import { LockMode } from '@mikro-orm/core'
import type { Transaction } from '@quittance/runtime/handler'
import { renewalJobName } from '../job-names.ts'
import { loadDunning } from '../organizations/dunning.ts'
import { loadClock } from '../organizations/organization.ts'
import type { SettledPayment } from '../payments/after-payment-settled.ts'
import { hasSameTerms } from '../payments/payment-terms.ts'
import { applyPaymentResult, isExtraAttempt, needsOwedOrders } from './apply-payment-result.ts'
import { findOwedOrders } from './owed-orders.ts'
import { publishSubscriptionChange } from './publish-subscription-change.ts'
import { scheduleFinalPayment } from './retry-final-orders.ts'
import { Subscription } from './subscription.ts'
import { settleUnpaidChange } from './undo-product-change.ts'
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
  // What a voided order changes was done with it, except for a subscription that never started.
  if (order.voidedAt && subscription.status !== 'incomplete') return
  // The method with which the buyer paid is the one of later payments.
  const isExtra = isExtraAttempt(payment.initiator)
  if (isPaid && (payment.checkoutId || isExtra) && payment.paymentMethodId) subscription.paymentMethodId = payment.paymentMethodId
  if (await settleUnpaidChange(subscription, { settled, context })) return
  // An order between two periods does not show whether a payment for the next one is pending.
  if (isPaid && order.billingReason === 'subscription_update' && subscription.status === 'active') return
  const clock = await loadClock(context, order.organizationId)
  if (isTerminal(subscription.status)) {
    // An order from before the end, as of a renewal, is not needed any more.
    if (!isPaid && !isExtra && (await hasSameTerms(context.sql, settled))) await scheduleFinalPayment(order, { context, clock })
    return
  }
  const before = subscription.snapshot()
  const { currentPeriodStart: startBefore } = subscription
  const dunning = await loadDunning(context.sql, order.organizationId)
  const result = { isPaid, initiator: payment.initiator, order, notBefore: payment.retryNotBefore ?? null }
  const owed = needsOwedOrders(subscription, result) ? await findOwedOrders(subscription, context) : []
  const changed = applyPaymentResult(subscription, result, { clock, dunning, now: context.now, owed })
  const { currentPeriodStart: start, currentPeriodEnd: end } = subscription
  // A late payment pays for the period that it begins.
  if (start !== startBefore) order.setPeriod({ start, end })
  if (changed) await publishSubscriptionChange(context, subscription, before)
  if (isPaid && order.billingReason === 'subscription_cycle') await publishRenewal(subscription, context)
  // Several periods may have passed; the next one is then already due.
  wake(renewalJobName)
}

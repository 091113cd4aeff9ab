import type { Transaction } from '@quittance/runtime/handler'
import { renewalJobName } from '../job-names.ts'
import { Order } from '../orders/order.ts'
import { loadClock } from '../organizations/organization.ts'
import type { SettledPayment } from '../payments/after-payment-settled.ts'
import { giveUpOrder } from '../payments/void-order.ts'
import { isExtraAttempt } from './apply-payment-result.ts'
import { settlePendingProrations } from './final-order.ts'
import { publishSubscriptionChange } from './publish-subscription-change.ts'
import { revertOrder } from './revert-order.ts'
import type { Subscription } from './subscription.ts'
import { isTerminal } from './subscription-status.ts'
import { syncBenefits } from './sync-benefits.ts'
import { readTerms, UnpaidChange } from './unpaid-change.ts'

/**
 * Ends the wait for the payment of a change of product: a declined one undoes the change, and its order is voided. Returns whether it did. A
 * declined attempt beside the schedule changes nothing.
 */
export async function settleUnpaidChange(
  subscription: Subscription,
  { settled: { order, payment, isPaid }, context }: { settled: SettledPayment; context: Transaction },
): Promise<boolean> {
  const change = await findChange(order, context)
  if (!change) return false
  if (isPaid) {
    await completeChange(subscription, { change, context })
    return false
  }
  if (isExtraAttempt(payment.initiator)) return false
  if (!(await undoProductChange(subscription, { order, change, context }))) return false
  await giveUpOrder(order, context)
  return true
}

/** Undoes the change whose order the seller voided. Returns whether there was one. */
export async function undoVoidedChange(
  subscription: Subscription,
  { order, context }: { order: Order; context: Transaction },
): Promise<boolean> {
  const change = await findChange(order, context)
  return change !== null && undoProductChange(subscription, { order, change, context })
}

async function findChange({ id, billingReason }: Order, { em }: Transaction): Promise<UnpaidChange | null> {
  return billingReason === 'subscription_update' ? em.findOne(UnpaidChange, { orderId: id }) : null
}

/** Grants the benefits of a change that is paid, and continues the renewals, which waited for the payment. */
export async function completeChange(
  subscription: Subscription,
  { change, context }: { change: UnpaidChange; context: Transaction },
): Promise<void> {
  context.em.remove(change)
  if (isTerminal(subscription.status)) return
  await syncBenefits(subscription, context)
  if (subscription.status !== 'active') return
  const clock = await loadClock(context, subscription.organizationId)
  subscription.dueAt = clock.toReal(subscription.currentPeriodEnd)
  context.wake(renewalJobName)
}

interface Undoing {
  order: Order
  change: UnpaidChange
  context: Transaction
}

/**
 * Restores the terms before a change, and reverts its order. Of a subscription that has ended only the order is. Returns false if a period was
 * billed since by the release before, which does not wait for the payment: then the order is owed like another one.
 */
async function undoProductChange(subscription: Subscription, { order, change, context }: Undoing): Promise<boolean> {
  const hasEnded = isTerminal(subscription.status)
  if (!hasEnded && (subscription.status !== 'active' || (await isBilledSince(subscription, { order, context })))) return false
  await revertOrder(order, { change, context })
  if (hasEnded) {
    await settlePendingProrations(subscription, context)
    return true
  }
  const before = subscription.snapshot()
  const clock = await loadClock(context, subscription.organizationId)
  Object.assign(subscription, readTerms(change))
  if (subscription.cancelAtPeriodEnd) {
    subscription.pendingProductId = null
    subscription.endsAt = subscription.currentPeriodEnd
  }
  subscription.dueAt = clock.toReal(subscription.currentPeriodEnd)
  subscription.leasedUntil = null
  await context.em.flush()
  await syncBenefits(subscription, context)
  await publishSubscriptionChange(context, subscription, before)
  context.wake(renewalJobName)
  return true
}

async function isBilledSince({ id }: Subscription, { order, context }: Omit<Undoing, 'change'>): Promise<boolean> {
  return (await context.em.count(Order, { subscriptionId: id, createdAt: { $gt: order.createdAt } })) > 0
}

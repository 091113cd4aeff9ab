import type { Transaction } from '@quittance/runtime/handler'
import { renewalJobName } from '../job-names.ts'
import { Order } from '../orders/order.ts'
import { loadClock, type OrganizationClock } from '../organizations/organization.ts'
import type { SettledPayment } from '../payments/after-payment-settled.ts'
import { giveUpOrder } from '../payments/void-order.ts'
import { isExtraAttempt } from './apply-payment-result.ts'
import { settlePendingProrations } from './final-order.ts'
import { beginPaidPeriod } from './paid-periods.ts'
import { publishSubscriptionChange } from './publish-subscription-change.ts'
import { revertOrder } from './revert-order.ts'
import type { Subscription } from './subscription.ts'
import { isTerminal, type SubscriptionSnapshot } from './subscription-status.ts'
import { syncBenefits } from './sync-benefits.ts'
import { readTerms, UnpaidChange } from './unpaid-change.ts'

/**
 * Ends the wait for the payment of a change of product: a declined one undoes the change, and its order is voided. If only the buyer can pay,
 * as with an authentication by the bank, the order stays open for 23 hours. Returns whether nothing else follows for the subscription. A declined
 * attempt beside the schedule changes nothing.
 */
export async function settleUnpaidChange(
  subscription: Subscription,
  { settled: { order, payment, isPaid }, context }: { settled: SettledPayment; context: Transaction },
): Promise<boolean> {
  const change = await findChange(order, context)
  if (!change) return false
  if (isPaid) {
    await completeChange(subscription, { order, change, context })
    // One that the release before made past due becomes active like others.
    return subscription.status === 'active'
  }
  if (isExtraAttempt(payment.initiator)) return false
  if (payment.declineKind === 'needs_buyer') return subscription.status === 'active'
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

/** A period that is paid sooner is the one that was previewed. */
const lateMs = 3_600_000

/**
 * Completes a change that is paid: its benefits are granted, a period that its order bills begins if it is paid late, and the renewals, which waited for the
 * payment, continue.
 */
export async function completeChange(subscription: Subscription, { order, change, context }: Undoing): Promise<void> {
  context.em.remove(change)
  if (subscription.status !== 'active') return
  const before = subscription.snapshot()
  const clock = await loadClock(context, subscription.organizationId)
  const { currentPeriodStart } = subscription
  // The release before may have renewed since.
  const isCurrent = order.periodStart?.getTime() === currentPeriodStart.getTime()
  if (isCurrent && clock.now.getTime() - currentPeriodStart.getTime() > lateMs) {
    beginPaidPeriod(subscription, clock)
    order.setPeriod({ start: subscription.currentPeriodStart, end: subscription.currentPeriodEnd })
  }
  await continueRenewals(subscription, { before, clock, context })
}

interface Continuing {
  before: SubscriptionSnapshot
  clock: OrganizationClock
  context: Transaction
}

/** Publishes the terms that are final now, with their benefits; the renewals waited for them. */
async function continueRenewals(subscription: Subscription, { before, clock, context }: Continuing): Promise<void> {
  subscription.dueAt = clock.toReal(subscription.currentPeriodEnd)
  subscription.leasedUntil = null
  await context.em.flush()
  await syncBenefits(subscription, context)
  await publishSubscriptionChange(context, subscription, before)
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
export async function undoProductChange(subscription: Subscription, { order, change, context }: Undoing): Promise<boolean> {
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
  await continueRenewals(subscription, { before, clock, context })
  return true
}

async function isBilledSince({ id }: Subscription, { order, context }: Omit<Undoing, 'change'>): Promise<boolean> {
  return (await context.em.count(Order, { subscriptionId: id, createdAt: { $gt: order.createdAt } })) > 0
}

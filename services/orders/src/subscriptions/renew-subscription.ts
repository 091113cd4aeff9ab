import { LockMode } from '@mikro-orm/core'
import type { Transaction } from '@quittance/runtime/handler'
import { Order } from '../orders/order.ts'
import { payOrder, placeOrder } from '../orders/place-order.ts'
import { loadDunning } from '../organizations/dunning.ts'
import type { OrganizationClock } from '../organizations/organization.ts'
import type { SettledSetup } from '../payment-setups/settle-setup.ts'
import type { RecurringInterval } from '../pricing/billing-period.ts'
import { chargeOrder } from './charge-order.ts'
import { findPlannedProduct, removeInapplicableDiscount } from './choose-product.ts'
import { buildPeriodBill } from './subscription-orders.ts'
import { findOwedOrders } from './owed-orders.ts'
import { Subscription } from './subscription.ts'
import { publishRenewal, syncBenefits } from './sync-benefits.ts'
import { publishSubscriptionChange } from './publish-subscription-change.ts'

export interface RenewalContext {
  context: Transaction
  clock: OrganizationClock
}

/** Starts the next period and charges its order; an order without a charge is paid at once. */
export async function renewSubscription(subscription: Subscription, { context, clock }: RenewalContext): Promise<void> {
  const order = await placeNextOrder(subscription, context)
  await collectPayment(order, { subscription, context, clock })
}

/** Starts the next period, with the product that is planned for it, and places its order. */
export async function placeNextOrder(subscription: Subscription, context: Transaction): Promise<Order> {
  const before = subscription.snapshot()
  await applyPlannedProduct(subscription, context)
  subscription.beginPeriod(subscription.nextPeriod())
  const { draft, settle } = await buildPeriodBill(subscription, context)
  await publishSubscriptionChange(context, subscription, before)
  const order = await placeOrder(context, draft)
  settle(order.id)
  return order
}

async function applyPlannedProduct(subscription: Subscription, context: Transaction): Promise<void> {
  const planned = await findPlannedProduct(subscription, context.em)
  subscription.pendingProductId = null
  if (!planned) return
  subscription.applyPrice(planned.price)
  subscription.recurringInterval = planned.product.recurringInterval as RecurringInterval
  await removeInapplicableDiscount(subscription, context)
  await syncBenefits(subscription, context)
}

/** Charges an order of a subscription. A missing method counts as a declined charge. */
export async function collectPayment(
  order: Order,
  { subscription, context, clock }: RenewalContext & { subscription: Subscription },
): Promise<void> {
  if (order.totalAmount === 0n) {
    await payOrder(context, order)
    subscription.markPaid(clock)
    if (order.billingReason === 'subscription_cycle') await publishRenewal(subscription, context)
  } else if (!(await chargeOrder(context, { order, subscription }))) {
    const before = subscription.snapshot()
    subscription.markPaymentFailed(clock, { dunning: await loadDunning(context.sql, subscription.organizationId) })
    await publishSubscriptionChange(context, subscription, before)
  }
}

/** Charges every owed order that has no payment in progress, oldest first. If none can be charged, the attempt fails at once. */
export async function retryPayment(
  subscription: Subscription,
  { context, clock }: { context: Transaction; clock: OrganizationClock },
): Promise<void> {
  subscription.awaitPayment()
  const { isOwing, isInProgress } = await chargeOwedOrders(subscription, { context, initiator: 'schedule' })
  if (isInProgress) return
  const before = subscription.snapshot()
  if (isOwing) subscription.markPaymentFailed(clock, { dunning: await loadDunning(context.sql, subscription.organizationId) })
  else subscription.markPaid(clock)
  await publishSubscriptionChange(context, subscription, before)
}

/** Returns whether anything is owed, and whether a payment of it is in progress now. */
async function chargeOwedOrders(
  subscription: Subscription,
  { context, initiator }: { context: Transaction; initiator: 'schedule' | 'method_updated' },
): Promise<{ isOwing: boolean; isInProgress: boolean }> {
  const owed = await findOwedOrders(subscription, context)
  const unpaid = owed.filter(({ isPaymentInProgress }) => !isPaymentInProgress).map(({ id }) => id)
  const orders = await context.em.find(Order, { id: { $in: unpaid } }, { orderBy: { createdAt: 'asc', id: 'asc' } })
  let isInProgress = unpaid.length < owed.length
  for (const order of orders) if (await chargeOrder(context, { order, subscription, initiator })) isInProgress = true
  return { isOwing: owed.length > 0, isInProgress }
}

/**
 * Charges what the customer's subscriptions owe to the new default method, at once and beside the schedule, which stays. The caller has locked
 * the customer.
 */
export async function chargeNewDefault(context: Transaction, { customerId }: { customerId: string }): Promise<void> {
  const pastDue = await context.em.find(
    Subscription,
    { customerId, status: 'past_due' },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { createdAt: 'asc', id: 'asc' } },
  )
  for (const subscription of pastDue) await chargeOwedOrders(subscription, { context, initiator: 'method_updated' })
}

/** A method that was stored as the new default is charged at once too. */
export async function chargeStoredDefault(context: Transaction, { setup, isStored }: SettledSetup): Promise<void> {
  if (isStored && setup.setDefault) await chargeNewDefault(context, setup)
}

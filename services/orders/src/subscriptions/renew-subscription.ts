import type { Transaction } from '@quittance/runtime/handler'
import type { Order } from '../orders/order.ts'
import { payOrder, placeOrder } from '../orders/place-order.ts'
import { loadDunning } from '../organizations/dunning.ts'
import type { OrganizationClock } from '../organizations/organization.ts'
import type { RecurringInterval } from '../pricing/billing-period.ts'
import { chargeOrder } from './charge-order.ts'
import { chargeOwedOrders } from './charge-owed-orders.ts'
import { findPlannedProduct, removeInapplicableDiscount } from './choose-product.ts'
import { skipTimeWithoutAccess } from './paid-periods.ts'
import { buildPeriodBill } from './subscription-orders.ts'
import type { Subscription } from './subscription.ts'
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

/** Charges the order of a period. A missing method counts as a declined charge. */
async function collectPayment(
  order: Order,
  { subscription, context, clock }: RenewalContext & { subscription: Subscription },
): Promise<void> {
  if (order.totalAmount === 0n) {
    const before = subscription.snapshot()
    // The event of the order contains the subscription.
    if (subscription.markPaid(clock)) await publishSubscriptionChange(context, subscription, before)
    await payOrder(context, order)
    await publishRenewal(subscription, context)
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
  else {
    skipTimeWithoutAccess(subscription, { clock, isPeriodPaid: false })
    subscription.markPaid(clock)
  }
  await publishSubscriptionChange(context, subscription, before)
}

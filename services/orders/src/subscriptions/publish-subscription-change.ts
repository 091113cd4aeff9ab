import { subscriptionActive, subscriptionRevoked } from '@quittance/contracts/subscriptions'
import type { Transaction } from '@quittance/runtime/handler'
import { grantBenefits, revokeBenefits } from '../entitlements/entitlement.ts'
import { lockBenefits } from '../entitlements/product-benefits.ts'
import { publishCustomerState } from '../customers/customer-state.ts'
import type { Subscription } from './subscription.ts'
import { settlePendingProrations } from './final-order.ts'
import { revertUnpaidOrder } from './revert-order.ts'
import { eventsForChange, isTerminal, type SubscriptionSnapshot } from './subscription-status.ts'
import { subscriptionView } from './subscription-view.ts'

/**
 * Publishes the changes since `before`, or the new subscription. Benefits follow: granted with `active`, revoked with `revoked`. An end
 * bills what is still owed. The
 * customer is the aggregate of all these events, so that the customer's state comes last.
 */
export async function publishSubscriptionChange(
  context: Transaction,
  subscription: Subscription,
  before: SubscriptionSnapshot | null,
): Promise<void> {
  const { id, organizationId, customerId, productId } = subscription
  if (isTerminal(subscription.status) && !(before && isTerminal(before.status))) {
    await revertUnpaidOrder(subscription, context)
    await settlePendingProrations(subscription, context)
  }
  const payload = await context.read.one(subscriptionView, { where: 's.id = :id', values: { id } })
  const events = eventsForChange(before, subscription.snapshot())
  for (const event of events) context.publish({ event, aggregateId: customerId, organizationId, payload })
  const happened = (subject: string) => events.some((event) => event.subject === subject)
  if (happened(subscriptionActive.subject)) {
    await lockBenefits(context.sql, productId)
    await grantBenefits(context, { organizationId, productId, customerId, orderId: null, subscriptionId: id })
  }
  if (happened(subscriptionRevoked.subject)) await revokeBenefits(context, { subscriptionId: id })
  await publishCustomerState(context, customerId)
}

import { subscriptionActive, subscriptionRevoked } from '@quittance/contracts/subscriptions'
import type { Transaction } from '@quittance/runtime/handler'
import { grantBenefits, revokeBenefits } from '../benefits/entitlement.ts'
import { tellCustomerState } from '../customers/tell-customer-state.ts'
import type { Subscription } from './subscription.ts'
import { eventsOf, type Standing } from './subscription-events.ts'
import { subscriptionView } from './subscription-view.ts'

/**
 * Tells what changed since `before`, or that the subscription is new. Benefits follow: they come with `active` and go with `revoked`.
 * All is told as the customer's, so that the customer's state comes last.
 */
export async function tellSubscription(context: Transaction, subscription: Subscription, before: Standing | null): Promise<void> {
  const { id, organizationId, customerId, productId } = subscription
  const payload = await context.read.one(subscriptionView, { where: 's.id = :id', values: { id } })
  const events = eventsOf(before, subscription.standing())
  for (const event of events) context.publish({ event, aggregateId: customerId, organizationId, payload })
  const happened = (subject: string) => events.some((event) => event.subject === subject)
  if (happened(subscriptionActive.subject)) {
    await grantBenefits(context, { organizationId, productId, customerId, orderId: null, subscriptionId: id })
  }
  if (happened(subscriptionRevoked.subject)) await revokeBenefits(context, { subscriptionId: id })
  await tellCustomerState(context, customerId)
}

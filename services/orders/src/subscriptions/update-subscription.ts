import type { RequestOf } from '@quittance/contracts/operation'
import {
  updateSubscription as updateSubscriptionContract,
  revokeSubscription as revokeSubscriptionContract,
} from '@quittance/contracts/subscriptions'
import { command, type Transaction } from '@quittance/runtime/handler'
import type { OrganizationClock } from '../organizations/organization.ts'
import { changeDiscount } from './change-discount.ts'
import { applyProductChange } from './previewed-change.ts'
import { changeSubscription } from './lock-subscription.ts'
import { withdrawCancellation } from './owed-orders.ts'
import type { Subscription } from './subscription.ts'
import { subscriptionView } from './subscription-view.ts'

type Request = RequestOf<typeof updateSubscriptionContract>

export const updateSubscription = command(updateSubscriptionContract, async (request, context) => {
  const { id } = request
  await changeSubscription(id, context, (subscription, clock) => apply(request, subscription, { context, clock }))
  return context.read.one(subscriptionView, { where: 's.id = :id', values: { id } })
})

/** The contract has already determined which of the changes it is. */
async function apply(
  request: Request,
  subscription: Subscription,
  { context, clock }: { context: Transaction; clock: OrganizationClock },
): Promise<void> {
  if ('product_id' in request) return applyProductChange(subscription, request, { context, clock, isChosenByCustomer: false })
  if ('pending_update' in request) return subscription.dropPlannedProduct()
  if ('discount_id' in request) return changeDiscount(subscription, { discountId: request.discount_id, context })
  const cancellation = { reason: request.customer_cancellation_reason, comment: request.customer_cancellation_comment }
  if ('revoke' in request) subscription.revoke(clock.now, cancellation)
  else if (request.cancel_at_period_end) subscription.cancel(clock, cancellation)
  else await withdrawCancellation(subscription, { context, clock })
}

export const revokeSubscription = command(revokeSubscriptionContract, async ({ id }, context) => {
  await changeSubscription(id, context, (subscription, clock) => subscription.revoke(clock.now))
  return context.read.one(subscriptionView, { where: 's.id = :id', values: { id } })
})

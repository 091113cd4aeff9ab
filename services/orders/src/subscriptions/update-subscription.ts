import type { RequestOf } from '@quittance/contracts/operation'
import {
  updateSubscription as updateSubscriptionContract,
  revokeSubscription as revokeSubscriptionContract,
} from '@quittance/contracts/subscriptions'
import { command, type Transaction } from '@quittance/runtime/handler'
import { type OrganizationClock, loadSubscriptionSettings } from '../organizations/organization.ts'
import { changeDiscount } from './change-discount.ts'
import { changeSubscriptionProduct } from './change-subscription-product.ts'
import { findChangeClock } from './previewed-change.ts'
import { changeSubscription } from './lock-subscription.ts'
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
  if ('product_id' in request) {
    const { proration_behavior } = await loadSubscriptionSettings(context.sql, subscription.organizationId)
    const behavior = request.proration_behavior ?? proration_behavior
    const { product_id: productId, previewed_at: previewedAt } = request
    const at = await findChangeClock(subscription, { clock, context, productId, previewedAt })
    await changeSubscriptionProduct(subscription, { productId, behavior, context, clock: at })
    return
  }
  if ('pending_update' in request) return subscription.dropPlannedProduct()
  if ('discount_id' in request) return changeDiscount(subscription, { discountId: request.discount_id, context })
  const cancellation = { reason: request.customer_cancellation_reason, comment: request.customer_cancellation_comment }
  if ('revoke' in request) subscription.revoke(clock.now, cancellation)
  else if (request.cancel_at_period_end) subscription.cancel(clock.now, cancellation)
  else subscription.uncancel()
}

export const revokeSubscription = command(revokeSubscriptionContract, async ({ id }, context) => {
  await changeSubscription(id, context, (subscription, clock) => subscription.revoke(clock.now))
  return context.read.one(subscriptionView, { where: 's.id = :id', values: { id } })
})

import type { RequestOf } from '@quittance/contracts/operation'
import { updateSubscription as contract } from '@quittance/contracts/subscriptions'
import { command, type Transaction } from '@quittance/runtime/handler'
import type { OrganizationClock } from '../organizations/clock.ts'
import { subscriptionSettingsOf } from '../organizations/subscription-settings.ts'
import { changeDiscount } from './change-discount.ts'
import { changeProduct } from './change-product.ts'
import { changeSubscription } from './change-subscription.ts'
import type { Subscription } from './subscription.ts'
import { subscriptionView } from './subscription-view.ts'

type Request = RequestOf<typeof contract>

export const updateSubscription = command(contract, async (request, context) => {
  const { id } = request
  await changeSubscription(id, context, (subscription, clock) => apply(request, subscription, { context, clock }))
  return context.read.one(subscriptionView, { where: 's.id = :id', values: { id } })
})

/** The contract has sorted out which of the four it is. */
async function apply(
  request: Request,
  subscription: Subscription,
  { context, clock }: { context: Transaction; clock: OrganizationClock },
): Promise<void> {
  if ('product_id' in request) {
    const { proration_behavior } = await subscriptionSettingsOf(context.rows, subscription.organizationId)
    const behavior = request.proration_behavior ?? proration_behavior
    return changeProduct(subscription, { productId: request.product_id, behavior, context, clock })
  }
  if ('discount_id' in request) return changeDiscount(subscription, { discountId: request.discount_id, context })
  const parting = { reason: request.customer_cancellation_reason, comment: request.customer_cancellation_comment }
  if ('revoke' in request) subscription.revoke(clock.now, parting)
  else if (request.cancel_at_period_end) subscription.cancel(clock.now, parting)
  else subscription.uncancel()
}

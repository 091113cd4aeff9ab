import type { RequestOf } from '@quittance/contracts/operation'
import {
  updateSubscription as updateSubscriptionContract,
  revokeSubscription as revokeSubscriptionContract,
} from '@quittance/contracts/subscriptions'
import { command, staged, type Transaction } from '@quittance/runtime/handler'
import type { OrganizationClock } from '../organizations/organization.ts'
import { awaitChange, type StartedChange } from './await-change.ts'
import { changeDiscount } from './change-discount.ts'
import { applyProductChange } from './previewed-change.ts'
import { changeSubscription } from './lock-subscription.ts'
import { withdrawCancellation } from './owed-orders.ts'
import type { Subscription } from './subscription.ts'
import { subscriptionView } from './subscription-view.ts'

type Request = RequestOf<typeof updateSubscriptionContract>

/** Changes a subscription. A change that is charged at once is decided by the first result of its payment. */
export const updateSubscription = staged(updateSubscriptionContract, {
  async commit(request, context): Promise<StartedChange> {
    const { id } = request
    const payment = await changeSubscription(id, context, async (subscription, clock) => {
      if ('product_id' in request) return applyProductChange(subscription, request, { context, clock, isChosenByCustomer: false })
      await apply(request, subscription, { context, clock })
      return null
    })
    return { id, payment }
  },
  async finish(started, context) {
    await awaitChange(started, context)
    return context.read.one(subscriptionView, { where: 's.id = :id', values: { id: started.id } })
  },
})

/** The contract has already determined which of the changes it is. */
async function apply(
  request: Exclude<Request, { product_id: string }>,
  subscription: Subscription,
  { context, clock }: { context: Transaction; clock: OrganizationClock },
): Promise<void> {
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

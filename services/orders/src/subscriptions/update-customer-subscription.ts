import { UpdateSubscriptionNotAllowed, updateCustomerSubscription as contract } from '@quittance/contracts/customer-portal'
import type { RequestOf } from '@quittance/contracts/operation'
import { command, type Transaction } from '@quittance/runtime/handler'
import type { OrganizationClock } from '../organizations/clock.ts'
import { subscriptionSettingsOf } from '../organizations/subscription-settings.ts'
import { changeProduct } from './change-product.ts'
import { changeSubscription } from './change-subscription.ts'
import type { Subscription } from './subscription.ts'
import { customerSubscriptionView } from './subscription-view.ts'

type Request = RequestOf<typeof contract>

export const updateCustomerSubscription = command(contract, async (request, context) => {
  const { id } = request
  await changeSubscription(id, context, (subscription, clock) => apply(request, subscription, { context, clock }))
  return context.read.one(customerSubscriptionView, { where: 's.id = :id', values: { id } })
})

async function apply(
  request: Request,
  subscription: Subscription,
  { context, clock }: { context: Transaction; clock: OrganizationClock },
): Promise<void> {
  if (request.product_id !== undefined) {
    const settings = await subscriptionSettingsOf(context.rows, subscription.organizationId)
    if (!settings.allow_customer_updates) throw new UpdateSubscriptionNotAllowed('Updating subscription is not allowed.')
    return changeProduct(subscription, { productId: request.product_id, behavior: settings.proration_behavior, context, clock })
  }
  const parting = { reason: request.cancellation_reason, comment: request.cancellation_comment }
  if (request.cancel_at_period_end === true) subscription.cancel(clock.now, parting)
  else if (request.cancel_at_period_end === false) subscription.uncancel()
  else subscription.note(parting)
}

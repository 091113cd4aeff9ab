import { AlreadyActiveSubscriptionError } from '@quittance/contracts/checkouts'
import type { Rows } from '@quittance/runtime/handler'
import { subscriptionSettingsOf } from '../organizations/subscription-settings.ts'

/** A first payment that is on its way counts too, so that two at the same time do not both become active. */
const occupied = `
  select 1 from subscriptions
  where organization_id = :organization_id and customer_id = :customer_id
    and (status in ('trialing', 'active', 'past_due') or (status = 'incomplete' and created_at > now() - interval '1 hour'))
  limit 1`

/** Unless the organization allows several. Whoever confirms for the same customer waits, because the customer's identity is claimed. */
export async function refuseSecondSubscription(rows: Rows, who: { organizationId: string; customerId: string }): Promise<void> {
  const found = await rows('subscription.occupied', occupied, { organization_id: who.organizationId, customer_id: who.customerId })
  if (found.length === 0) return
  const { allow_multiple_subscriptions } = await subscriptionSettingsOf(rows, who.organizationId)
  if (!allow_multiple_subscriptions) throw new AlreadyActiveSubscriptionError('You already have an active subscription.')
}

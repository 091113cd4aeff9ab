import type { Organization } from '@quittance/contracts/organizations'
import type { Rows } from '@quittance/runtime/handler'

export type SubscriptionSettings = Organization['subscription_settings']

const settings = `select document -> 'subscription_settings' as settings from organizations where id = :id`

/** What an organization allows its subscribers, as it was last told. */
export async function subscriptionSettingsOf(rows: Rows, id: string): Promise<SubscriptionSettings> {
  const [known] = await rows<{ settings: SubscriptionSettings }>('organization.subscription-settings', settings, { id })
  return known?.settings ?? { allow_multiple_subscriptions: false, allow_customer_updates: true, proration_behavior: 'prorate' }
}

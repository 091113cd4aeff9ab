import { CustomerEmailSettings } from '@quittance/contracts/organizations'

/**
 * Returns SQL that adds to an organization the members that events of release 0.1.0 lack. `document` is the SQL of the organization as
 * jsonb; its own members are kept.
 */
export function completeOrganization(document: string): string {
  const settings = `(${document} -> 'subscription_settings')`
  return `${defaults(settings)} || ${document} || jsonb_build_object('subscription_settings', ${settingDefaults} || ${settings},
    'page_settings', ${pageDefaults} || coalesce(${document} -> 'page_settings', '{}'))`
}

const settingDefaults = `jsonb_build_object('benefit_revocation_grace_period', 0, 'prevent_trial_abuse', false)`

const pageDefaults = `jsonb_build_object('terms_url', null, 'privacy_url', null, 'imprint_url', null,
  'embed_origins', jsonb_build_array(), 'return_origins', jsonb_build_array())`

const defaults = (settings: string) => `jsonb_build_object('status', 'active',
    'notification_settings', ${none(['new_order', 'new_subscription'])},
    'customer_email_settings', ${none(CustomerEmailSettings.keyof().options)},
    'customer_portal_settings', jsonb_build_object('usage', ${none(['show'])},
      'subscription', jsonb_build_object('update_seats', false, 'update_plan', ${settings} -> 'allow_customer_updates')),
    'proration_behavior', ${settings} -> 'proration_behavior', 'allow_customer_updates', ${settings} -> 'allow_customer_updates',
    'default_presentment_currency', 'usd', 'default_tax_behavior', 'exclusive', 'sso_enforced', false,
    'account_id', null, 'payout_account_id', null,
    'capabilities', jsonb_build_object('checkout_payments', true, 'subscription_renewals', true, 'payouts', false, 'refunds', true,
      'api_access', true, 'dashboard_access', false))`

function none(names: readonly string[]): string {
  return `jsonb_build_object(${names.map((name) => `'${name}', false`).join(', ')})`
}

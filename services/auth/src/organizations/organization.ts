import { defineEntity, p } from '@mikro-orm/core'
import {
  CustomerEmailSettings,
  PageSettings,
  type Organization as OrganizationShape,
  type Organization as OrganizationReply,
  type SubscriptionSettings,
} from '@quittance/contracts/organizations'
import { aggregateProperties } from '@quittance/runtime/schema'
import type { View } from '@quittance/sql/view'

type EmailSettings = Partial<Record<keyof OrganizationShape['customer_email_settings'], boolean | undefined>>

export const OrganizationSchema = defineEntity({
  name: 'Organization',
  tableName: 'organizations',
  properties: {
    ...aggregateProperties,
    name: p.text(),
    slug: p.text(),
    avatarUrl: p.text().nullable(),
    email: p.text().nullable(),
    website: p.text().nullable(),
    socials: p.json<OrganizationShape['socials']>(),
    subscriptionSettings: p.json<SubscriptionSettings>(),
    /** Deviations from the defaults. */
    customerEmailSettings: p.json<EmailSettings>(),
    /** What is set; the rest is absent or null. */
    pageSettings: p.json<Partial<PageSettings>>(),
    /** Null: the snapshot event of the current state is not published yet. */
    snapshotPublishedAt: p.datetime().nullable(),
  },
  // Other aggregates call this id organization_id.
  filters: {
    organization: { name: 'organization', cond: (parameters) => ({ id: { $in: parameters['ids'] } }), default: true, args: true },
  },
})

/** Default settings of a new organization. */
export const defaultSubscriptionSettings: SubscriptionSettings = {
  allow_multiple_subscriptions: false,
  allow_customer_updates: true,
  proration_behavior: 'prorate',
}

export interface ProfileChange {
  name?: string | null | undefined
  avatar_url?: string | null | undefined
  email?: string | null | undefined
  website?: string | null | undefined
  socials?: OrganizationShape['socials'] | null | undefined
  subscription_settings?: SubscriptionSettings | null | undefined
  customer_email_settings?: EmailSettings | null | undefined
  page_settings?: { [Key in keyof PageSettings]?: PageSettings[Key] | undefined } | null | undefined
}

export class Organization extends OrganizationSchema.class {
  /** Applies the given keys and keeps the others; null clears a nullable field. */
  change(change: ProfileChange): void {
    if (change.name) this.name = change.name
    if (change.avatar_url !== undefined) this.avatarUrl = change.avatar_url
    if (change.email !== undefined) this.email = change.email
    if (change.website !== undefined) this.website = change.website
    if (change.socials) this.socials = change.socials
    if (change.subscription_settings) this.subscriptionSettings = change.subscription_settings
    if (change.customer_email_settings) this.customerEmailSettings = { ...this.customerEmailSettings, ...change.customer_email_settings }
    if (change.page_settings) this.pageSettings = { ...this.pageSettings, ...change.page_settings } as Partial<PageSettings>
    this.snapshotPublishedAt = null
  }
}
OrganizationSchema.setClass(Organization)

const none = (...names: string[]) => `(select row_to_json(x) from (select ${names.map((name) => `false as ${name}`).join(', ')}) x)`
const setting = (name: string) => `o.subscription_settings -> '${name}'`

/** Every mail is sent unless the seller switched it off. In the order of the contract. */
export const customerEmailSettings = `(select row_to_json(x) from (select ${CustomerEmailSettings.keyof()
  .options.map((name) => `coalesce((o.customer_email_settings -> '${name}')::boolean, true) as ${name}`)
  .join(', ')}) x)`

const pageSettings = `(select row_to_json(x) from (select ${PageSettings.keyof()
  .exclude(['embed_origins', 'return_origins'])
  .options.map((name) => `o.page_settings ->> '${name}' as ${name}`)
  .join(', ')}, coalesce(o.page_settings -> 'embed_origins', '[]') as embed_origins,
    coalesce(o.page_settings -> 'return_origins', '[]') as return_origins) x)`

/** There are no payouts and no dashboard. */
const capabilities = `(select row_to_json(x) from (select true as checkout_payments, true as subscription_renewals, false as payouts,
      true as refunds, true as api_access, false as dashboard_access) x)`

/** Members that only later versions of the official client require. */
const laterColumns = `'active' as status, ${none('new_order', 'new_subscription')} as notification_settings,
    ${customerEmailSettings} as customer_email_settings,
    (select row_to_json(x) from (select ${none('show')} as usage,
      (select row_to_json(y) from (select false as update_seats, ${setting('allow_customer_updates')} as update_plan) y) as subscription
    ) x) as customer_portal_settings,
    ${pageSettings} as page_settings,
    ${setting('proration_behavior')} as proration_behavior, ${setting('allow_customer_updates')} as allow_customer_updates,
    'usd' as default_presentment_currency, 'exclusive' as default_tax_behavior, false as sso_enforced, null as account_id, null as payout_account_id,
    ${capabilities} as capabilities`

export const organizationView: View<OrganizationReply> = {
  name: 'organization',
  organization: 'o.id',
  from: 'organizations o',
  key: 'o.id',
  columns: `o.id, o.created_at, o.modified_at, o.name, o.slug, o.avatar_url, o.email, o.website, o.socials,
    null as details_submitted_at, null as feature_settings,
    o.subscription_settings || jsonb_build_object('benefit_revocation_grace_period', 0, 'prevent_trial_abuse', false) as subscription_settings,
    ${laterColumns}`,
}

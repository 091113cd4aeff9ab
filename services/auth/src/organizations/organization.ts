import { defineEntity, p } from '@mikro-orm/core'
import type { Organization as OrganizationShape } from '@quittance/contracts/organizations'
import { aggregate } from '@quittance/runtime/entity'

export const OrganizationSchema = defineEntity({
  name: 'Organization',
  tableName: 'organizations',
  properties: {
    ...aggregate,
    name: p.text(),
    slug: p.text(),
    avatarUrl: p.text().nullable(),
    email: p.text().nullable(),
    website: p.text().nullable(),
    socials: p.json<OrganizationShape['socials']>(),
    subscriptionSettings: p.json<OrganizationShape['subscription_settings']>(),
  },
  // Its own id is what other aggregates call organization_id.
  filters: {
    organization: { name: 'organization', cond: (parameters) => ({ id: { $in: parameters['ids'] } }), default: true, args: true },
  },
})

/** What a new organization may do until it says otherwise. */
export const defaultSubscriptionSettings: OrganizationShape['subscription_settings'] = {
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
  subscription_settings?: OrganizationShape['subscription_settings'] | null | undefined
}

export class Organization extends OrganizationSchema.class {
  /** Applies the keys that are present; null clears what may be empty and leaves the rest. */
  change(change: ProfileChange): void {
    if (change.name) this.name = change.name
    if (change.avatar_url !== undefined) this.avatarUrl = change.avatar_url
    if (change.email !== undefined) this.email = change.email
    if (change.website !== undefined) this.website = change.website
    if (change.socials) this.socials = change.socials
    if (change.subscription_settings) this.subscriptionSettings = change.subscription_settings
  }
}
OrganizationSchema.setClass(Organization)

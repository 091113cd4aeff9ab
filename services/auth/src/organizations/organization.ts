import { defineEntity, p } from '@mikro-orm/core'
import type { Organization as OrganizationShape, Organization as OrganizationReply } from '@quittance/contracts/organizations'
import { aggregateProperties } from '@quittance/runtime/schema'
import type { View } from '@quittance/runtime/view'

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
    subscriptionSettings: p.json<OrganizationShape['subscription_settings']>(),
  },
  // Other aggregates call this id organization_id.
  filters: {
    organization: { name: 'organization', cond: (parameters) => ({ id: { $in: parameters['ids'] } }), default: true, args: true },
  },
})

/** Default settings of a new organization. */
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
  /** Applies the given keys and keeps the others; null clears a nullable field. */
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

export const organizationView: View<OrganizationReply> = {
  name: 'organization',
  organization: 'o.id',
  from: 'organizations o',
  key: 'o.id',
  columns: `o.id, o.created_at, o.modified_at, o.name, o.slug, o.avatar_url, o.email, o.website, o.socials,
    null as details_submitted_at, null as feature_settings, o.subscription_settings`,
}

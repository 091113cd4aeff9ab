import { z } from 'zod'
import { displayName } from './display-name.ts'
import { RequestValidationError, ResourceNotFound } from './errors.ts'
import { event } from './event.ts'
import { Id, timestamps } from './identifiers.ts'
import { Currency } from './money.ts'
import { operation } from './operation.ts'
import { ListReply, pageRequest, sorting } from './pagination.ts'
import { TaxBehavior } from './taxes.ts'

const SocialLink = z.object({
  platform: z.enum(['x', 'github', 'facebook', 'instagram', 'youtube', 'tiktok', 'linkedin', 'other']),
  url: z.url().max(2083),
})

const FeatureSettings = z.object({ issue_funding_enabled: z.boolean(), usage_based_billing_enabled: z.boolean() })

/** What a seller decides about its subscriptions. */
export const SubscriptionSettings = z.object({
  allow_multiple_subscriptions: z.boolean(),
  allow_customer_updates: z.boolean(),
  proration_behavior: z.enum(['invoice', 'prorate']),
})
export type SubscriptionSettings = z.infer<typeof SubscriptionSettings>

/** Which mails the customers of an organization get. Sign-in codes are always sent. */
export const CustomerEmailSettings = z.object({
  order_confirmation: z.boolean(),
  subscription_cancellation: z.boolean(),
  subscription_confirmation: z.boolean(),
  subscription_cycled: z.boolean(),
  subscription_cycled_after_trial: z.boolean(),
  subscription_past_due: z.boolean(),
  subscription_paused: z.boolean(),
  subscription_resumed: z.boolean(),
  subscription_renewal_reminder: z.boolean(),
  subscription_revoked: z.boolean(),
  subscription_trial_conversion_reminder: z.boolean(),
  subscription_uncanceled: z.boolean(),
  subscription_updated: z.boolean(),
})

const webAddress = z
  .url({ protocol: /^https?$/ })
  .max(2083)
  .nullable()

/** An origin as browsers write it: scheme, host and port, without a path. */
const WebOrigin = z
  .string()
  .max(300)
  .refine((text) => /^https?:[^*]+$/.test(text) && URL.parse(text)?.origin === text, 'Must be an origin such as https://shop.example.')

/** Where pages for buyers lead to beside the sale. A link that is null is not shown. */
export const PageSettings = z
  .object({
    terms_url: webAddress,
    privacy_url: webAddress,
    imprint_url: webAddress,
    embed_origins: z.array(WebOrigin).max(20).describe('Origins that may show checkouts of links in a frame.'),
    return_origins: z.array(WebOrigin).max(20).describe('Origins that a `return_url` of the customer portal may have.'),
  })
  .meta({ id: 'PageSettings' })
export type PageSettings = z.infer<typeof PageSettings>

const CustomerPortalSettings = z.object({
  usage: z.object({ show: z.boolean() }),
  subscription: z.object({ update_seats: z.boolean(), update_plan: z.boolean() }),
})

const OrganizationCapabilities = z.object({
  checkout_payments: z.boolean(),
  subscription_renewals: z.boolean(),
  payouts: z.boolean(),
  refunds: z.boolean(),
  api_access: z.boolean(),
  dashboard_access: z.boolean(),
})

/** A seller: owner of products, customers, orders and webhook endpoints. */
export const Organization = z
  .object({
    id: Id,
    ...timestamps,
    name: z.string(),
    slug: z.string(),
    avatar_url: z.string().nullable(),
    email: z.string().nullable(),
    website: z.string().nullable(),
    socials: z.array(SocialLink),
    details_submitted_at: z.string().nullable(),
    feature_settings: FeatureSettings.nullable(),
    subscription_settings: SubscriptionSettings.extend({
      benefit_revocation_grace_period: z.literal(0).describe('In days.'),
      prevent_trial_abuse: z.literal(false),
    }),
    status: z.literal('active').describe('Every organization can sell; none is reviewed.'),
    notification_settings: z.object({ new_order: z.boolean(), new_subscription: z.boolean() }),
    customer_email_settings: CustomerEmailSettings,
    customer_portal_settings: CustomerPortalSettings,
    page_settings: PageSettings,
    proration_behavior: SubscriptionSettings.shape.proration_behavior,
    allow_customer_updates: z.boolean(),
    default_presentment_currency: Currency,
    default_tax_behavior: TaxBehavior,
    sso_enforced: z.literal(false),
    account_id: z.null(),
    payout_account_id: z.null(),
    capabilities: OrganizationCapabilities,
  })
  .meta({ id: 'Organization' })
export type Organization = z.infer<typeof Organization>

/** Members that were added after the first release. */
const later = {
  settings: { benefit_revocation_grace_period: true, prevent_trial_abuse: true },
  members: {
    status: true,
    notification_settings: true,
    customer_email_settings: true,
    customer_portal_settings: true,
    page_settings: true,
    proration_behavior: true,
    allow_customer_updates: true,
    default_presentment_currency: true,
    default_tax_behavior: true,
    sso_enforced: true,
    account_id: true,
    payout_account_id: true,
    capabilities: true,
  },
} as const

/** Organization name as shown on consent pages and documents. */
export const OrganizationName = displayName({ min: 3, max: 100 })

const profile = {
  avatar_url: z.url().max(2083).nullish(),
  email: z.email().nullish(),
  website: webAddress.optional(),
  socials: z.array(SocialLink).max(20).nullish(),
  subscription_settings: SubscriptionSettings.nullish(),
  customer_email_settings: CustomerEmailSettings.partial().nullish(),
  page_settings: PageSettings.partial().nullish().describe('Keys that are absent are kept; null removes a link.'),
}

export const listOrganizations = operation({
  subject: 'auth.organization.list',
  summary: 'List the organizations the credential can act for',
  http: {
    method: 'GET',
    path: '/v1/organizations/',
    status: 200,
    scopes: ['organizations:read', 'organizations:write'],
    callers: ['organization', 'user'],
  },
  request: z.object({ ...pageRequest, slug: z.string().optional(), sorting: sorting(['created_at', 'slug', 'name'], 'created_at') }),
  reply: ListReply(Organization),
  errors: [],
})

export const getOrganization = operation({
  subject: 'auth.organization.get',
  summary: 'Get an organization',
  http: {
    method: 'GET',
    path: '/v1/organizations/{id}',
    status: 200,
    scopes: ['organizations:read', 'organizations:write'],
    callers: ['organization', 'user'],
  },
  request: z.object({ id: Id }),
  reply: Organization,
  errors: [ResourceNotFound],
})

export const createOrganization = operation({
  subject: 'auth.organization.create',
  summary: 'Create an organization; the caller becomes its first member',
  http: { method: 'POST', path: '/v1/organizations/', status: 201, scopes: ['organizations:write'], callers: ['user'] },
  request: z.object({
    name: OrganizationName,
    slug: z
      .string()
      .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'Must be a-z and 0-9, with single hyphens between them.')
      .min(3)
      .max(50),
    ...profile,
  }),
  reply: Organization,
  errors: [RequestValidationError],
})

export const updateOrganization = operation({
  subject: 'auth.organization.update',
  summary: 'Change an organization',
  http: {
    method: 'PATCH',
    path: '/v1/organizations/{id}',
    status: 200,
    scopes: ['organizations:write'],
    callers: ['organization', 'user'],
  },
  request: z.object({ id: Id, name: OrganizationName.nullish(), ...profile }),
  reply: Organization,
  errors: [ResourceNotFound],
})

/** An organization in events. Those of the first release lack the members that later clients require. */
const OrganizationSnapshot = Organization.extend({
  page_settings: PageSettings.partial({ embed_origins: true, return_origins: true }),
  subscription_settings: Organization.shape.subscription_settings.partial(later.settings),
})
  .partial(later.members)
  .meta({ id: 'OrganizationSnapshot' })

export const organizationCreated = event({
  subject: 'event.organization.created',
  publisher: 'auth',
  webhookType: null,
  summary: 'An organization was created; services store the data they need.',
  payload: OrganizationSnapshot,
})

export const organizationUpdated = event({
  subject: 'event.organization.updated',
  publisher: 'auth',
  webhookType: 'organization.updated',
  summary: 'An organization was changed.',
  payload: OrganizationSnapshot,
})

export const organizationSnapshotted = event({
  subject: 'event.organization.snapshotted',
  publisher: 'auth',
  webhookType: null,
  summary:
    'The current state of an organization, for services that keep a copy: after its creation, after every change, and every three days, so that a new service learns of every organization.',
  payload: z.object({
    id: Id,
    name: z.string(),
    slug: z.string(),
    email: z.string().nullable(),
    customer_email_settings: CustomerEmailSettings,
  }),
})

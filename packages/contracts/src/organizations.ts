import { z } from 'zod'
import { displayName } from './display-name.ts'
import { RequestValidationError, ResourceNotFound } from './errors.ts'
import { event } from './event.ts'
import { Id, timestamps } from './identifiers.ts'
import { operation } from './operation.ts'
import { ListReply, pageRequest, sorting } from './pagination.ts'

const SocialLink = z.object({
  platform: z.enum(['x', 'github', 'facebook', 'instagram', 'youtube', 'tiktok', 'linkedin', 'other']),
  url: z.url().max(2083),
})

const FeatureSettings = z.object({ issue_funding_enabled: z.boolean(), usage_based_billing_enabled: z.boolean() })

const SubscriptionSettings = z.object({
  allow_multiple_subscriptions: z.boolean(),
  allow_customer_updates: z.boolean(),
  proration_behavior: z.enum(['invoice', 'prorate']),
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
    subscription_settings: SubscriptionSettings,
  })
  .meta({ id: 'Organization' })
export type Organization = z.infer<typeof Organization>

/** Organization name as shown on consent pages and documents. */
export const OrganizationName = displayName({ min: 3, max: 100 })

const profile = {
  avatar_url: z.url().max(2083).nullish(),
  email: z.email().nullish(),
  website: z.url().max(2083).nullish(),
  socials: z.array(SocialLink).max(20).nullish(),
  subscription_settings: SubscriptionSettings.nullish(),
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

export const organizationCreated = event({
  subject: 'event.organization.created',
  publisher: 'auth',
  webhookType: null,
  summary: 'An organization was created; services store the data they need.',
  payload: Organization,
})

export const organizationUpdated = event({
  subject: 'event.organization.updated',
  publisher: 'auth',
  webhookType: 'organization.updated',
  summary: 'An organization was changed.',
  payload: Organization,
})

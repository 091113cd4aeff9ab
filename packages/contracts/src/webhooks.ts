import { z } from 'zod'
import { ApiError, RequestValidationError, ResourceNotFound } from './errors.ts'
import { event } from './event.ts'
import { Id, OrganizationIdInput, oneOrMany, Timestamp, timestamps } from './identifiers.ts'
import { operation } from './operation.ts'
import { ListReply, pageRequest } from './pagination.ts'

/** 409: the organization has as many endpoints as it may have. */
export class WebhookEndpointLimitReached extends ApiError {
  readonly status = 409
}

/** 409: nothing is sent to a disabled endpoint; enable it first. */
export class WebhookEndpointDisabled extends ApiError {
  readonly status = 409
}

/** The list of the June 2025 contract, and behind it what endpoints are told of themselves. */
export const webhookEventTypes = [
  'checkout.created',
  'checkout.updated',
  'customer.created',
  'customer.updated',
  'customer.deleted',
  'customer.state_changed',
  'order.created',
  'order.updated',
  'order.paid',
  'order.refunded',
  'subscription.created',
  'subscription.updated',
  'subscription.active',
  'subscription.canceled',
  'subscription.uncanceled',
  'subscription.revoked',
  'refund.created',
  'refund.updated',
  'product.created',
  'product.updated',
  'benefit.created',
  'benefit.updated',
  'benefit_grant.created',
  'benefit_grant.cycled',
  'benefit_grant.updated',
  'benefit_grant.revoked',
  'organization.updated',
  'webhook_endpoint.failing',
  'webhook_endpoint.disabled',
] as const
export type WebhookEventType = (typeof webhookEventTypes)[number]

/** What an endpoint may ask for besides single types: all of one resource (`order.*`), or all (`*`). */
export const webhookEventWildcards = ['*', ...new Set(webhookEventTypes.map((type) => `${type.split('.')[0]}.*` as const))] as const
export type WebhookEventFilter = WebhookEventType | (typeof webhookEventWildcards)[number]

/** Most endpoints of an organization. */
export const mostWebhookEndpoints = 20

const EventFilter = z.enum([...webhookEventTypes, ...webhookEventWildcards])
const EventTypes = z
  .array(EventFilter)
  .min(1)
  .max(webhookEventTypes.length + webhookEventWildcards.length)
  .describe(
    'Types, `order.*` for all of a resource, or `*`. Clients with a closed list of types cannot read an endpoint with the latter two.',
  )
const Format = z.enum(['raw', 'discord', 'slack'])
const RateLimit = z.int().min(1).max(1000).nullish().describe('Most requests per second; null for no limit.')
const EndpointUrl = z.url().max(2083)
const Secret = z.string().min(1).max(500)

/** A customer's URL. The secret is shown when it was generated, and never again. */
export const WebhookEndpoint = z
  .object({
    id: Id,
    ...timestamps,
    url: z.string(),
    format: Format,
    organization_id: Id,
    events: z.array(EventFilter),
    rate_limit: z.int().nullable(),
    enabled: z.boolean(),
    disabled_reason: z.enum(['gone', 'failing', 'requested']).nullable(),
  })
  .meta({ id: 'WebhookEndpoint' })

/** The answer to a creation: the secret is in it, once. */
export const WebhookEndpointCreated = WebhookEndpoint.extend({ secret: z.string() }).meta({ id: 'WebhookEndpointCreated' })

export const createWebhookEndpoint = operation({
  subject: 'webhooks.endpoint.create',
  summary: 'Create a webhook endpoint; without a secret one is generated',
  http: { method: 'POST', path: '/v1/webhooks/endpoints', status: 201, scopes: ['webhooks:write'], callers: ['organization', 'user'] },
  request: z.object({
    url: EndpointUrl,
    format: Format.default('raw'),
    secret: Secret.nullish(),
    events: EventTypes,
    rate_limit: RateLimit,
    organization_id: OrganizationIdInput,
  }),
  reply: WebhookEndpointCreated,
  errors: [RequestValidationError, WebhookEndpointLimitReached],
})

export const getWebhookEndpoint = operation({
  subject: 'webhooks.endpoint.get',
  summary: 'Get a webhook endpoint',
  http: {
    method: 'GET',
    path: '/v1/webhooks/endpoints/{id}',
    status: 200,
    scopes: ['webhooks:read', 'webhooks:write'],
    callers: ['organization', 'user'],
  },
  request: z.object({ id: Id }),
  reply: WebhookEndpoint,
  errors: [ResourceNotFound],
})

export const listWebhookEndpoints = operation({
  subject: 'webhooks.endpoint.list',
  summary: 'List webhook endpoints, newest first',
  http: {
    method: 'GET',
    path: '/v1/webhooks/endpoints',
    status: 200,
    scopes: ['webhooks:read', 'webhooks:write'],
    callers: ['organization', 'user'],
  },
  request: z.object({ ...pageRequest, organization_id: oneOrMany(Id) }),
  reply: ListReply(WebhookEndpoint),
  errors: [],
})

export const updateWebhookEndpoint = operation({
  subject: 'webhooks.endpoint.update',
  summary: 'Change a webhook endpoint; null values are ignored, except for the rate limit',
  http: {
    method: 'PATCH',
    path: '/v1/webhooks/endpoints/{id}',
    status: 200,
    scopes: ['webhooks:write'],
    callers: ['organization', 'user'],
  },
  request: z.object({
    id: Id,
    url: EndpointUrl.nullish(),
    format: Format.nullish(),
    secret: Secret.nullish().describe('Holds from the next attempt on, without overlap; see the rotation of the secret.'),
    events: EventTypes.nullish(),
    rate_limit: RateLimit.describe('Most requests per second; null for no limit; left out, it stays.'),
    enabled: z
      .boolean()
      .nullish()
      .describe('False holds what comes; true takes new events again. What was held is sent when it is recovered.'),
  }),
  reply: WebhookEndpoint,
  errors: [ResourceNotFound, RequestValidationError],
})

/** Longest time in seconds that a replaced secret goes on signing. */
const longestOverlap = 7 * 24 * 3_600

export const rotateWebhookSecret = operation({
  subject: 'webhooks.endpoint.rotate-secret',
  summary: 'Replace the signing secret; the one before goes on signing beside it for a while',
  http: {
    method: 'PATCH',
    path: '/v1/webhooks/endpoints/{id}/secret',
    status: 200,
    scopes: ['webhooks:write'],
    callers: ['organization', 'user'],
  },
  request: z.object({
    id: Id,
    secret: Secret.nullish().describe('The new one; without it one is generated.'),
    expire_previous_in: z
      .int()
      .min(0)
      .max(longestOverlap)
      .nullish()
      .transform((seconds) => seconds ?? 24 * 3_600)
      .describe('Seconds in which both sign, newest first; a day unless told, seven days at most.'),
  }),
  reply: WebhookEndpointCreated,
  errors: [ResourceNotFound],
})

export const testWebhookEndpoint = operation({
  subject: 'webhooks.endpoint.test',
  summary: 'Send an example of an event to the endpoint, once, whether it wants the type or not',
  http: {
    method: 'POST',
    path: '/v1/webhooks/endpoints/{id}/test',
    status: 202,
    scopes: ['webhooks:write'],
    callers: ['organization', 'user'],
  },
  request: z.object({ id: Id, type: z.enum(webhookEventTypes) }),
  reply: z.object({ event_id: Id }).meta({ id: 'WebhookTest' }),
  errors: [ResourceNotFound, WebhookEndpointDisabled, RequestValidationError],
})

export const WebhookEndpointStats = z
  .object({
    endpoint_id: Id,
    since: Timestamp,
    attempts: z.int(),
    succeeded: z.int(),
    failed: z.int(),
    average_duration_ms: z.int().nullable(),
    last_success_at: Timestamp.nullable(),
    /** Since when no attempt has succeeded; null while the last one did. */
    failing_since: Timestamp.nullable(),
    /** Until when nothing is tried, after failures in a row. */
    paused_until: Timestamp.nullable(),
    waiting: z.int(),
    held: z.int(),
  })
  .meta({ id: 'WebhookEndpointStats' })

export const getWebhookEndpointStats = operation({
  subject: 'webhooks.endpoint.stats',
  summary: 'How an endpoint has answered in the last seven days, and what waits for it',
  http: {
    method: 'GET',
    path: '/v1/webhooks/endpoints/{id}/stats',
    status: 200,
    scopes: ['webhooks:read', 'webhooks:write'],
    callers: ['organization', 'user'],
  },
  request: z.object({ id: Id }),
  reply: WebhookEndpointStats,
  errors: [ResourceNotFound],
})

export const recoverWebhookEndpoint = operation({
  subject: 'webhooks.endpoint.recover',
  summary: 'Send again what an endpoint has missed: what was held for it and what was given up, in the order of time',
  http: {
    method: 'POST',
    path: '/v1/webhooks/endpoints/{id}/recover',
    status: 202,
    scopes: ['webhooks:write'],
    callers: ['organization', 'user'],
  },
  request: z.object({ id: Id, since: Timestamp, until: Timestamp.nullish().describe('Now, unless told.') }),
  reply: z.object({ id: Id, since: Timestamp, until: Timestamp }).meta({ id: 'WebhookRecovery' }),
  errors: [ResourceNotFound, WebhookEndpointDisabled, RequestValidationError],
})

export const deleteWebhookEndpoint = operation({
  subject: 'webhooks.endpoint.delete',
  summary: 'Delete a webhook endpoint; what waits for it is not sent',
  http: {
    method: 'DELETE',
    path: '/v1/webhooks/endpoints/{id}',
    status: 204,
    scopes: ['webhooks:write'],
    callers: ['organization', 'user'],
  },
  request: z.object({ id: Id }),
  reply: z.null(),
  errors: [ResourceNotFound],
})

/** What an endpoint is told of an endpoint: itself, where it still answers, or another of the organization. */
const EndpointTrouble = z.object({ endpoint: WebhookEndpoint, failing_since: Timestamp.nullable() })

export const webhookEndpointFailing = event({
  subject: 'event.webhook_endpoint.failing',
  publisher: 'webhooks',
  webhookType: 'webhook_endpoint.failing',
  summary: 'Nothing has arrived at an endpoint for a day. It is disabled after five days with ten failed events.',
  payload: EndpointTrouble,
})

export const webhookEndpointDisabled = event({
  subject: 'event.webhook_endpoint.disabled',
  publisher: 'webhooks',
  webhookType: 'webhook_endpoint.disabled',
  summary:
    'An endpoint was disabled: it answered 410, or failed for five days. What comes for it is held until it is enabled and recovered.',
  payload: EndpointTrouble,
})

import { z } from 'zod'
import { ApiError, RequestValidationError, ResourceNotFound } from './errors.ts'
import { event } from './event.ts'
import { Id, OrganizationIdInput, oneOrMany, Timestamp, timestamps } from './identifiers.ts'
import { operation } from './operation.ts'
import { ListReply, pageRequest } from './pagination.ts'
import { EventFilter, EventSelection, webhookEventTypes } from './webhook-event-types.ts'

/** 409: the organization has the maximum number of endpoints. */
export class WebhookEndpointLimitReached extends ApiError {
  readonly status = 409
}

/** 409: nothing is sent to a disabled endpoint, or to one that does not select the type of the event. */
export class WebhookEndpointDisabled extends ApiError {
  readonly status = 409
}

/** Maximum number of endpoints of an organization. */
export const maxWebhookEndpoints = 20

const Format = z.enum(['raw', 'discord', 'slack'])
const RateLimit = z.int().min(1).max(1000).nullish().describe('Maximum requests per second; null for no limit.')
const EndpointUrl = z.url().max(2083)
/** Replaces the secret in replies that do not show it. Sent back in a change, it means no change. */
export const maskedSecret = 'whsec_********'
const Secret = z.string().min(1).max(500)
const NewSecret = Secret.refine((secret) => secret !== maskedSecret, 'Must not be the text that replaces secrets in replies.')
const goodSecret = 'Standard Webhooks asks for `whsec_` and 24 to 64 random bytes in base64; shorter ones are accepted.'

/** A customer's URL. The secret is returned only when it is created or replaced; other replies mask it. */
export const WebhookEndpoint = z
  .object({
    id: Id,
    ...timestamps,
    url: z.string(),
    secret: z.string().describe('Masked, except in the replies to a creation and a rotation.'),
    format: Format,
    organization_id: Id,
    events: z.array(EventFilter),
    rate_limit: z.int().nullable(),
    enabled: z.boolean(),
    disabled_reason: z.enum(['gone', 'failing', 'requested']).nullable(),
  })
  .meta({ id: 'WebhookEndpoint' })

/** Reply to a creation or secret rotation; the only replies that contain the secret. */
export const WebhookEndpointCreated = WebhookEndpoint.extend({ secret: z.string() }).meta({ id: 'WebhookEndpointCreated' })

export const createWebhookEndpoint = operation({
  subject: 'webhooks.endpoint.create',
  summary: 'Create a webhook endpoint; a secret is generated if none is sent',
  http: { method: 'POST', path: '/v1/webhooks/endpoints', status: 201, scopes: ['webhooks:write'], callers: ['organization', 'user'] },
  request: z.object({
    url: EndpointUrl,
    format: Format.default('raw'),
    secret: NewSecret.nullish().describe(`The signing secret; generated if omitted. ${goodSecret}`),
    events: EventSelection,
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
    format: Format.nullish().describe('Applies to later events; those that wait or are sent again keep their format.'),
    secret: Secret.nullish().describe('Applies from the next attempt, without overlap; for an overlap rotate the secret instead.'),
    events: EventSelection.nullish(),
    rate_limit: RateLimit.describe('Maximum requests per second; null for no limit; not changed if omitted.'),
    enabled: z
      .boolean()
      .nullish()
      .describe(
        'False: new events are held. True: new events are sent again, and a pause after failures ends. Held events are sent by recovering the endpoint.',
      ),
  }),
  reply: WebhookEndpoint,
  errors: [ResourceNotFound, RequestValidationError],
})

/** Maximum time in seconds for which a replaced secret still signs. */
const maxOverlapSeconds = 7 * 24 * 3_600

export const rotateWebhookSecret = operation({
  subject: 'webhooks.endpoint.rotate-secret',
  summary: 'Replace the signing secret; the previous one also signs for a limited time',
  http: {
    method: 'PATCH',
    path: '/v1/webhooks/endpoints/{id}/secret',
    status: 200,
    scopes: ['webhooks:write'],
    callers: ['organization', 'user'],
  },
  request: z.object({
    id: Id,
    secret: NewSecret.nullish().describe(`The new secret; generated if omitted. ${goodSecret}`),
    expire_previous_in: z
      .int()
      .min(0)
      .max(maxOverlapSeconds)
      .nullish()
      .transform((seconds) => seconds ?? 24 * 3_600)
      .describe('Seconds in which both secrets sign, newest first; default one day, at most seven days.'),
  }),
  reply: WebhookEndpointCreated,
  errors: [ResourceNotFound],
})

export const testWebhookEndpoint = operation({
  subject: 'webhooks.endpoint.test',
  summary: 'Send an example event to the endpoint once, even if the endpoint does not select its type',
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
    /** Time since which every attempt has failed; null if the last attempt succeeded. */
    failing_since: Timestamp.nullable(),
    /** Time until which no attempt is made, after consecutive failures. */
    paused_until: Timestamp.nullable(),
    waiting: z.int(),
    held: z.int(),
  })
  .meta({ id: 'WebhookEndpointStats' })

export const getWebhookEndpointStats = operation({
  subject: 'webhooks.endpoint.stats',
  summary: 'Get the results of an endpoint in the last seven days and its waiting deliveries',
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
  summary: 'Send the events an endpoint has missed in chronological order: held and failed ones, and those that wait for a retry',
  http: {
    method: 'POST',
    path: '/v1/webhooks/endpoints/{id}/recover',
    status: 202,
    scopes: ['webhooks:write'],
    callers: ['organization', 'user'],
  },
  request: z.object({ id: Id, since: Timestamp, until: Timestamp.nullish().describe('Default: now.') }),
  reply: z.object({ id: Id, since: Timestamp, until: Timestamp }).meta({ id: 'WebhookRecovery' }),
  errors: [ResourceNotFound, WebhookEndpointDisabled, RequestValidationError],
})

export const deleteWebhookEndpoint = operation({
  subject: 'webhooks.endpoint.delete',
  summary: 'Delete a webhook endpoint; its waiting deliveries are not sent',
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

/**
 * Payload of events about an endpoint. They are sent to that endpoint, if it still accepts deliveries, or to others of the organization.
 */
const EndpointFailure = z.object({ endpoint: WebhookEndpoint, failing_since: Timestamp.nullable() })

export const webhookEndpointFailing = event({
  subject: 'event.webhook_endpoint.failing',
  publisher: 'webhooks',
  webhookType: 'webhook_endpoint.failing',
  summary: 'All deliveries to an endpoint have failed for one day. It is disabled after five days with ten failed events.',
  payload: EndpointFailure,
})

export const webhookEndpointDisabled = event({
  subject: 'event.webhook_endpoint.disabled',
  publisher: 'webhooks',
  webhookType: 'webhook_endpoint.disabled',
  summary:
    'An endpoint was disabled: it returned 410, or failed for five days. New events for it are held until it is enabled and recovered.',
  payload: EndpointFailure,
})

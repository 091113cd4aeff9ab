import { z } from 'zod'
import { RequestValidationError, ResourceNotFound } from './errors.ts'
import { Id, OrganizationIdInput, oneOrMany, Timestamp, timestamps } from './identifiers.ts'
import { operation } from './operation.ts'
import { ListReply, pageRequest } from './pagination.ts'

/** The closed list of the June 2025 contract. */
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
] as const
export type WebhookEventType = (typeof webhookEventTypes)[number]

const EventTypes = z.array(z.enum(webhookEventTypes)).min(1).max(webhookEventTypes.length)
const EndpointUrl = z.url().max(2083)
const Secret = z.string().min(1).max(500)

/** A customer's URL. The secret is shown when it was generated, and never again. */
export const WebhookEndpoint = z
  .object({
    id: Id,
    ...timestamps,
    url: z.string(),
    format: z.enum(['raw', 'discord', 'slack']),
    organization_id: Id,
    events: z.array(z.enum(webhookEventTypes)),
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
    format: z.literal('raw').default('raw'),
    secret: Secret.nullish(),
    events: EventTypes,
    organization_id: OrganizationIdInput,
  }),
  reply: WebhookEndpointCreated,
  errors: [RequestValidationError],
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
  summary: 'Change a webhook endpoint; null values are ignored',
  http: {
    method: 'PATCH',
    path: '/v1/webhooks/endpoints/{id}',
    status: 200,
    scopes: ['webhooks:write'],
    callers: ['organization', 'user'],
  },
  request: z.object({ id: Id, url: EndpointUrl.nullish(), secret: Secret.nullish(), events: EventTypes.nullish() }),
  reply: WebhookEndpoint,
  errors: [ResourceNotFound, RequestValidationError],
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

/** The stored event: the exact text that was signed and sent. */
export const WebhookEvent = z
  .object({
    id: Id,
    ...timestamps,
    last_http_code: z.int().nullable(),
    succeeded: z.boolean().nullable(),
    payload: z.string(),
  })
  .meta({ id: 'WebhookEvent' })

/** One attempt to deliver an event to an endpoint. */
export const WebhookDelivery = z
  .object({
    id: Id,
    ...timestamps,
    http_code: z.int().nullable(),
    succeeded: z.boolean(),
    webhook_event: WebhookEvent,
  })
  .meta({ id: 'WebhookDelivery' })

export const listWebhookDeliveries = operation({
  subject: 'webhooks.delivery.list',
  summary: 'List delivery attempts, newest first',
  http: {
    method: 'GET',
    path: '/v1/webhooks/deliveries',
    status: 200,
    scopes: ['webhooks:read', 'webhooks:write'],
    callers: ['organization', 'user'],
  },
  request: z.object({
    ...pageRequest,
    endpoint_id: oneOrMany(Id),
    start_timestamp: Timestamp.optional(),
    end_timestamp: Timestamp.optional(),
  }),
  reply: ListReply(WebhookDelivery),
  errors: [],
})

export const redeliverWebhookEvent = operation({
  subject: 'webhooks.event.redeliver',
  summary: 'Send an event again, with the same id and the same text',
  http: {
    method: 'POST',
    path: '/v1/webhooks/events/{id}/redeliver',
    status: 202,
    scopes: ['webhooks:write'],
    callers: ['organization', 'user'],
  },
  request: z.object({ id: Id }),
  reply: z.null(),
  errors: [ResourceNotFound],
})

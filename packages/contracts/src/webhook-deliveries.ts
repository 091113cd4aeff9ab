import { z } from 'zod'
import { RequestValidationError, ResourceNotFound } from './errors.ts'
import { Id, oneOrMany, Timestamp, timestamps } from './identifiers.ts'
import { operation } from './operation.ts'
import { ListReply, pageRequest } from './pagination.ts'
import { webhookEventTypes } from './webhook-event-types.ts'
import { WebhookEndpointDisabled } from './webhooks.ts'

/** States of an event at an endpoint. */
export const deliveryStatuses = ['pending', 'held', 'succeeded', 'failed', 'cancelled'] as const

/** The stored event: the exact text that was signed and sent. */
export const WebhookEvent = z
  .object({
    id: Id,
    ...timestamps,
    last_http_code: z.int().nullable(),
    succeeded: z.boolean().nullable(),
    status: z.enum(deliveryStatuses),
    /** Truncated in lists if it is long; `is_payload_cut` is then true. */
    skipped: z.literal(false),
    type: z.enum(webhookEventTypes),
    is_archived: z.literal(false),
    payload: z.string(),
    is_payload_cut: z.boolean(),
  })
  .meta({ id: 'WebhookEvent' })

/** One attempt to deliver an event to an endpoint. */
export const WebhookDelivery = z
  .object({
    id: Id,
    ...timestamps,
    http_code: z.int().nullable(),
    succeeded: z.boolean(),
    /** Reason of the failure as a code: `http_status`, `timeout`, `tls_error`, … */
    reason: z.string().nullable(),
    /** The beginning of the response body. */
    response: z.string().nullable(),
    duration_ms: z.int(),
    endpoint_id: Id,
    event_type: z.string(),
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
    succeeded: z.boolean().optional(),
    status: oneOrMany(z.enum(deliveryStatuses)).describe(
      'Current status of the event at the endpoint. The list has attempts, so events that were never attempted are not in it; `waiting` and `held` of the statistics of an endpoint count them too.',
    ),
    http_code_class: z.enum(['2xx', '3xx', '4xx', '5xx']).optional(),
    event_type: oneOrMany(z.enum(webhookEventTypes)),
    event_id: Id.optional(),
    after: Id.optional().describe(
      'Id of the last delivery received: the list continues after it, regardless of newer deliveries. Use with page 1.',
    ),
  }),
  reply: ListReply(WebhookDelivery),
  errors: [RequestValidationError],
})

export const redeliverWebhookEvent = operation({
  subject: 'webhooks.event.redeliver',
  summary: 'Send an event again, with the same id and body, to all its endpoints or one of them',
  http: {
    method: 'POST',
    path: '/v1/webhooks/events/{id}/redeliver',
    status: 202,
    scopes: ['webhooks:write'],
    callers: ['organization', 'user'],
  },
  request: z.object({
    id: Id,
    endpoint_id: Id.nullish().describe(
      'The only endpoint to send it to. Default: every endpoint that it was sent to, is enabled and selects its type, also those that have accepted it.',
    ),
  }),
  reply: z.null(),
  errors: [ResourceNotFound, WebhookEndpointDisabled],
})

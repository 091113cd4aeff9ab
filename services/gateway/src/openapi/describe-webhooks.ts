import type { PublicEvent } from '@quittance/contracts/registry'
import { toSchema } from './component-schemas.ts'

type Json = Record<string, unknown>

/** Headers of Standard Webhooks. */
const headers = {
  'webhook-id': 'Id of the event; the same for every attempt.',
  'webhook-timestamp': 'Unix time of the attempt in seconds.',
  'webhook-signature': 'Signatures of id, timestamp and body, separated by spaces: `v1,` and HMAC-SHA256 in base64.',
}

/** Parameters that every webhook has, for `components.parameters`. */
export const webhookParameters: Json = Object.fromEntries(
  Object.entries(headers).map(([name, description]) => [
    name,
    { name, in: 'header', required: true, schema: { type: 'string', description } },
  ]),
)

/** Describes the body of every event that is sent to webhook endpoints, for `webhooks` (OpenAPI 3.1). Uses the components of replies. */
export function describeWebhooks(events: readonly PublicEvent[], schemas: Json): Json {
  return Object.fromEntries(events.map((event) => [event.webhookType, { post: describeWebhook(event, schemas) }]))
}

function describeWebhook({ webhookType, summary, payload }: PublicEvent, schemas: Json): Json {
  const body = {
    type: 'object',
    required: ['type', 'timestamp', 'data'],
    properties: {
      type: { type: 'string', const: webhookType },
      timestamp: { type: 'string', format: 'date-time' },
      data: describeData(payload, schemas),
    },
  }
  return {
    operationId: `webhook.${webhookType}`,
    tags: ['events'],
    summary,
    parameters: Object.keys(headers).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: { required: true, content: { 'application/json': { schema: body } } },
    responses: { '2XX': { description: 'The event was received. After any other status it is sent again.' } },
  }
}

function describeData(payload: PublicEvent['payload'], schemas: Json): Json {
  const id = payload.meta()?.id
  return id && id in schemas ? { $ref: `#/components/schemas/${id}` } : toSchema(payload, { io: 'output', schemas })
}

import type { ReplyOf } from '@quittance/contracts/operation'
import type { listWebhookDeliveries } from '@quittance/contracts/webhook-deliveries'
import { nested, type View } from '@quittance/runtime/view'

type WebhookDelivery = ReplyOf<typeof listWebhookDeliveries>['items'][number]

/** Texts of a page together, in bytes: with the escapes of JSON they stay below what a message on NATS may hold. */
const shown = { payloads: 400_000, responses: 100_000 }
const share = (of: keyof typeof shown) => `(${shown[of]} / :limit::int)`

/** A character has four bytes at most. */
const payload = `case when octet_length(ev.payload) <= ${share('payloads')} then ev.payload else left(ev.payload, ${share('payloads')} / 4) end`

/** What a customer calls an event is the event at one endpoint: its success, and the exact text that was signed. */
const eventColumns = `ev.id, ev.created_at, d.modified_at, d.last_http_code, ${payload} as payload,
  octet_length(ev.payload) > ${share('payloads')} as is_payload_cut, d.status,
  case d.status when 'succeeded' then true when 'pending' then null when 'held' then null else false end as succeeded`

/** What a customer calls a delivery is one attempt. Attempts at deleted endpoints stay visible, as long as their events are kept. */
export const deliveryView: View<WebhookDelivery> = {
  name: 'webhook-delivery',
  organization: 'a.organization_id',
  from: 'webhook_attempts a',
  details: `join webhook_deliveries d on d.event_id = a.event_id and d.endpoint_id = a.endpoint_id and d.occurred_at = a.occurred_at
    cross join lateral (select e.id, e.created_at, coalesce(d.body, e.payload) as payload
      from webhook_events e where e.id = a.event_id and e.occurred_at = a.occurred_at) ev`,
  key: 'a.id',
  columns: `a.id, a.created_at, null as modified_at, a.http_code, a.succeeded, a.reason, left(a.response_excerpt, ${share('responses')} / 4) as response,
    a.duration_ms, a.endpoint_id, a.event_type, ${nested(eventColumns)} as webhook_event`,
}

import type { ReplyOf } from '@quittance/contracts/operation'
import type { listWebhookDeliveries } from '@quittance/contracts/webhooks'
import { nested, type View } from '@quittance/runtime/view'

type WebhookDelivery = ReplyOf<typeof listWebhookDeliveries>['items'][number]

/** What a customer calls an event is the event at one endpoint: its success, and the exact text that was signed. */
const eventColumns = `ev.id, ev.created_at, d.modified_at, d.last_http_code, ev.payload,
  case d.status when 'succeeded' then true when 'pending' then null else false end as succeeded`

/** What a customer calls a delivery is one attempt. Attempts at deleted endpoints stay visible. */
export const deliveryView: View<WebhookDelivery> = {
  name: 'webhook-delivery',
  organization: 'a.organization_id',
  from: 'webhook_attempts a',
  details: 'join webhook_deliveries d on d.id = a.delivery_id join webhook_events ev on ev.id = d.event_id',
  key: 'a.id',
  columns: `a.id, a.created_at, null as modified_at, a.http_code, a.succeeded, ${nested(eventColumns)} as webhook_event`,
}

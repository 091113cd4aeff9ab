import type { getWebhookEndpoint } from '@quittance/contracts/webhooks'
import type { ReplyOf } from '@quittance/contracts/operation'
import type { View } from '@quittance/runtime/view'

export const endpointView: View<ReplyOf<typeof getWebhookEndpoint>> = {
  name: 'webhook-endpoint',
  organization: 'e.organization_id',
  from: '(select * from webhook_endpoints where deleted_at is null) e',
  key: 'e.id',
  columns: `e.id, e.created_at, e.modified_at, e.url, e.format, e.organization_id, e.events, e.rate_limit,
    e.disabled_at is null as enabled, e.disabled_reason`,
}

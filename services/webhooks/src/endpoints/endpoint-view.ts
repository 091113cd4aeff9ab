import { type getWebhookEndpoint, maskedSecret, WebhookEndpointDisabled } from '@quittance/contracts/webhooks'
import type { ReplyOf } from '@quittance/contracts/operation'
import type { View } from '@quittance/sql/view'
import { ResourceNotFound } from '@quittance/contracts/errors'
import type { Transaction } from '@quittance/runtime/handler'

export const endpointView: View<ReplyOf<typeof getWebhookEndpoint>> = {
  name: 'webhook-endpoint',
  organization: 'e.organization_id',
  from: '(select * from webhook_endpoints where deleted_at is null) e',
  key: 'e.id',
  columns: `e.id, e.created_at, e.modified_at, e.url, '${maskedSecret}' as secret, e.format, e.organization_id, e.events, e.rate_limit,
    e.disabled_at is null as enabled, e.disabled_reason`,
}

/** Returns the organization of an endpoint that the caller may see. Throws if the endpoint is disabled. */
export async function requireEnabledEndpoint({ read }: Pick<Transaction, 'read'>, id: string): Promise<string> {
  const view = await read.oneOrNull(endpointView, { where: 'e.id = :id', values: { id } })
  if (view === null) throw new ResourceNotFound()
  const { enabled, organization_id: organizationId } = JSON.parse(view) as { enabled: boolean; organization_id: string }
  if (!enabled) throw new WebhookEndpointDisabled('The endpoint is disabled. Enable it first.')
  return organizationId
}

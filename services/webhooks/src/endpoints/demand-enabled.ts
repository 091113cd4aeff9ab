import { ResourceNotFound } from '@quittance/contracts/errors'
import { WebhookEndpointDisabled } from '@quittance/contracts/webhooks'
import type { Transaction } from '@quittance/runtime/handler'
import { endpointView } from './endpoint-view.ts'

/** The endpoint's organization, where the caller may see it and something can be sent to it. */
export async function demandEnabled({ read }: Pick<Transaction, 'read'>, id: string): Promise<string> {
  const view = await read.oneOrNull(endpointView, { where: 'e.id = :id', values: { id } })
  if (view === null) throw new ResourceNotFound()
  const { enabled, organization_id: organizationId } = JSON.parse(view) as { enabled: boolean; organization_id: string }
  if (!enabled) throw new WebhookEndpointDisabled('The endpoint is disabled. Enable it first.')
  return organizationId
}

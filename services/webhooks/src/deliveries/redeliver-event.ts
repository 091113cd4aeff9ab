import { redeliverWebhookEvent as contract } from '@quittance/contracts/webhook-deliveries'
import { WebhookEndpointDisabled } from '@quittance/contracts/webhooks'
import { command } from '@quittance/runtime/handler'
import type { View } from '@quittance/sql/view'
import { endpointView } from '../endpoints/endpoint-view.ts'
import { deliveryJobName } from '../job-names.ts'

const knownEvent: View<{ id: string }> = {
  name: 'webhook-event',
  organization: 'ev.organization_id',
  from: 'webhook_events ev',
  columns: 'ev.id',
}

/**
 * A new round replaces the rest of the previous one. An attempt in progress ends first, then the new round starts. The request is the
 * seller's probe of the endpoint, so it ends the pause of the circuit breaker.
 */
const beginRound = `
  with lane as materialized (
    select l.endpoint_id from webhook_lanes l
    where l.endpoint_id in (
      select d.endpoint_id from webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id
      where d.event_id = :id and e.organization_id = any (:scope_organizations) and (:endpoint_id::uuid is null or e.id = :endpoint_id)) order by l.endpoint_id for update),
  again as (
    update webhook_deliveries d set status = 'pending', round = d.round + 1, attempts = 0, next_attempt_at = now(), modified_at = now()
    from webhook_endpoints e, lane
    where d.event_id = :id and e.id = d.endpoint_id and e.organization_id = any (:scope_organizations) and lane.endpoint_id = e.id and e.deleted_at is null and e.disabled_at is null
      and (d.is_test or e.events && array[d.event_type, split_part(d.event_type, '.', 1) || '.*', '*'])
    returning d.endpoint_id)
  update webhook_lanes l set next_due_at = now(), paused_until = null from again where l.endpoint_id = again.endpoint_id
  returning l.endpoint_id`

const isSentTo = 'exists (select from webhook_deliveries d where d.event_id = :id and d.endpoint_id = e.id)'

export const redeliverEvent = command(contract, async ({ id, endpoint_id: endpointId = null }, { read, sql, wake }) => {
  await read.one(knownEvent, { where: 'ev.id = :id', values: { id } })
  if (endpointId) await read.one(endpointView, { where: `e.id = :endpoint_id and ${isSentTo}`, values: { id, endpoint_id: endpointId } })
  const again = await sql('deliveries.begin-round', beginRound, { id, endpoint_id: endpointId })
  if (again.length === 0) throw new WebhookEndpointDisabled('No endpoint of the event is enabled and selects its type.')
  wake(deliveryJobName)
  return null
})

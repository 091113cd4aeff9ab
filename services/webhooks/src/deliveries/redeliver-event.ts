import { redeliverWebhookEvent as contract } from '@quittance/contracts/webhook-deliveries'
import { command } from '@quittance/runtime/handler'
import type { View } from '@quittance/sql/view'
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
      where d.event_id = :id and e.organization_id = any (:scope_organizations)) order by l.endpoint_id for update),
  again as (
    update webhook_deliveries d set status = 'pending', round = d.round + 1, attempts = 0, next_attempt_at = now(), modified_at = now()
    from webhook_endpoints e, lane
    where d.event_id = :id and e.id = d.endpoint_id and e.organization_id = any (:scope_organizations) and lane.endpoint_id = e.id and e.deleted_at is null and e.disabled_at is null
      and (d.is_test or e.events && array[d.event_type, split_part(d.event_type, '.', 1) || '.*', '*'])
    returning d.endpoint_id)
  update webhook_lanes l set next_due_at = now(), paused_until = null from again where l.endpoint_id = again.endpoint_id`

export const redeliverEvent = command(contract, async ({ id }, { read, sql, wake }) => {
  await read.one(knownEvent, { where: 'ev.id = :id', values: { id } })
  await sql('deliveries.begin-round', beginRound, { id })
  wake(deliveryJobName)
  return null
})

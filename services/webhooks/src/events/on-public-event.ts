import { publicEvents } from '@quittance/contracts/registry'
import { subscriptions } from '@quittance/contracts/streams'
import { consumer } from '@quittance/runtime/handler'
import { deliverDue } from '../deliveries/deliver-due.ts'
import { webhookPayload } from './webhook-payload.ts'

/** Nobody listening: nothing is kept. The conflict is an event from before the inbox was swept, told again. */
const fanOut = `
  with matching as (
    select id from webhook_endpoints
    where organization_id = :organization_id and deleted_at is null and :type = any (events)),
  event as (
    insert into webhook_events (id, organization_id, type, aggregate_id, occurred_at, payload)
    select :id, :organization_id, :type, :aggregate_id, :occurred_at, :payload where exists (select from matching)
    on conflict (id) do nothing
    returning id, aggregate_id, type)
  insert into webhook_deliveries (event_id, endpoint_id, aggregate_id, event_type)
  select event.id, matching.id, event.aggregate_id, event.type from event, matching
  returning id`

/** An event becomes a delivery for every endpoint that wants its type. */
export const onPublicEvent = consumer(subscriptions.webhooksPublicEvents, publicEvents, async (message, { rows, wake }) => {
  const { id, event, organizationId, aggregateId, occurredAt } = message
  if (!organizationId) return
  const deliveries = await rows('event.fan-out', fanOut, {
    id,
    organization_id: organizationId,
    type: event.webhookType,
    aggregate_id: aggregateId,
    occurred_at: occurredAt,
    payload: webhookPayload(message),
  })
  if (deliveries.length > 0) await wake(deliverDue.name)
})

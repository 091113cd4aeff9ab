import { redeliverWebhookEvent as contract } from '@quittance/contracts/webhooks'
import { command } from '@quittance/runtime/handler'
import type { View } from '@quittance/runtime/view'
import { deliverDue } from './deliver-due.ts'

const knownEvent: View<{ id: string }> = {
  name: 'webhook-event',
  organization: 'ev.organization_id',
  from: 'webhook_events ev',
  columns: 'ev.id',
}

/** A new round replaces what is left of the one before. An attempt under way ends, and the new round begins after it. */
const beginRound = `
  update webhook_deliveries d set status = 'pending', round = d.round + 1, attempts = 0, next_attempt_at = now(), modified_at = now()
  from webhook_endpoints e
  where d.event_id = :id and e.id = d.endpoint_id and e.deleted_at is null and d.event_type = any (e.events)`

export const redeliverEvent = command(contract, async ({ id }, { read, rows, wake }) => {
  await read.one(knownEvent, { where: 'ev.id = :id', values: { id } })
  await rows('deliveries.begin-round', beginRound, { id })
  await wake(deliverDue.name)
  return null
})

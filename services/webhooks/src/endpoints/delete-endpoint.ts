import { deleteWebhookEndpoint as contract } from '@quittance/contracts/webhooks'
import { command } from '@quittance/runtime/handler'
import { Endpoint } from './endpoint.ts'

/** A POST that is under way ends as it ends; an event that comes in at this moment is cancelled when it is due. */
const cancelWaiting = `
  update webhook_deliveries set status = 'cancelled', next_attempt_at = null, modified_at = now()
  where endpoint_id = :id and status in ('pending', 'held')`

export const deleteEndpoint = command(contract, async ({ id }, { em, rows, now }) => {
  const endpoint = await em.findOneOrFail(Endpoint, { id, deletedAt: null })
  endpoint.delete(now)
  await rows('deliveries.cancel-waiting', cancelWaiting, { id })
  return null
})

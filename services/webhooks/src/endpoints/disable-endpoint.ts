import { webhookEndpointDisabled } from '@quittance/contracts/webhooks'
import type { Transaction } from '@quittance/runtime/handler'
import { tellOfEndpoint } from './tell-of-endpoint.ts'

const disable = `
  update webhook_endpoints set disabled_at = now(), disabled_reason = :reason, modified_at = now(), version = version + 1
  where id = :id and disabled_at is null and deleted_at is null
  returning id`

// What is under way ends as it ends; what of it is to be tried again is held then.
const hold = `
  update webhook_deliveries set status = 'held', next_attempt_at = null, modified_at = now() where endpoint_id = :id and status = 'pending'`

export interface Disabling {
  id: string
  reason: 'gone' | 'failing' | 'requested'
}

/** Sends nothing more to an endpoint: what waits and what comes is held. Told once, unless it was asked for. */
export async function disableEndpoint(transaction: Transaction, { id, reason }: Disabling): Promise<void> {
  const { rows } = transaction
  const disabled = await rows('endpoints.disable', disable, { id, reason })
  if (disabled.length === 0) return
  await rows('deliveries.hold', hold, { id })
  if (reason !== 'requested') await tellOfEndpoint(transaction, { event: webhookEndpointDisabled, id })
}

const enable = `
  update webhook_endpoints set disabled_at = null, disabled_reason = null, modified_at = now(), version = version + 1
  where id = :id and disabled_at is not null`

const startAfresh = `
  update webhook_lanes set failing_since = null, warned_at = null, trips = 0, paused_until = null where endpoint_id = :id`

/** Takes new events again, as if nothing had failed. What was held stays so until it is recovered. */
export async function enableEndpoint({ rows }: Transaction, id: string): Promise<void> {
  await rows('endpoints.enable', enable, { id })
  await rows('lanes.start-afresh', startAfresh, { id })
}

import { webhookEndpointDisabled } from '@quittance/contracts/webhooks'
import type { Transaction } from '@quittance/runtime/handler'
import { endpointView } from './endpoint-view.ts'

const disable = `
  update webhook_endpoints set disabled_at = now(), disabled_reason = :reason, modified_at = now(), version = version + 1
  where id = :id and disabled_at is null and deleted_at is null
  returning id`

// POSTs in progress are not aborted; deliveries that need a retry afterwards are held.
const hold = `
  update webhook_deliveries set status = 'held', next_attempt_at = null, modified_at = now() where endpoint_id = :id and status = 'pending'`

export interface DisableRequest {
  id: string
  reason: 'gone' | 'failing' | 'requested'
}

/**
 * Disables an endpoint and holds its pending and future deliveries. Publishes `webhook_endpoint.disabled` once, unless the seller requested
 * it.
 */
export async function disableEndpoint(transaction: Transaction, { id, reason }: DisableRequest): Promise<void> {
  const { rows } = transaction
  const disabled = await rows('endpoints.disable', disable, { id, reason })
  if (disabled.length === 0) return
  await rows('deliveries.hold', hold, { id })
  if (reason !== 'requested') await publishEndpointEvent(transaction, { event: webhookEndpointDisabled, id })
}

const enable = `
  update webhook_endpoints set disabled_at = null, disabled_reason = null, modified_at = now(), version = version + 1
  where id = :id and disabled_at is not null`

const resetFailures = `
  update webhook_lanes set failing_since = null, warned_at = null, trips = 0, paused_until = null where endpoint_id = :id`

/** Enables an endpoint and resets its failure state. Held deliveries stay held until a recovery. */
export async function enableEndpoint({ rows }: Transaction, id: string): Promise<void> {
  await rows('endpoints.enable', enable, { id })
  await rows('lanes.start-afresh', resetFailures, { id })
}

const failingSinceSql = `
  select e.organization_id, to_json(l.failing_since)::text as failing_since from webhook_endpoints e join webhook_lanes l on l.endpoint_id = e.id where e.id = :id`

interface EndpointEvent {
  /** This event or `webhookEndpointFailing`, which has the same payload. */
  event: typeof webhookEndpointDisabled
  id: string
}

/** Publishes an event about an endpoint with its current state. */
export async function publishEndpointEvent({ rows, read, publish }: Transaction, { event, id }: EndpointEvent): Promise<void> {
  const [row] = await rows<{ organization_id: string; failing_since: string | null }>('lanes.trouble', failingSinceSql, { id })
  const endpoint = await read.one(endpointView, { where: 'e.id = :id', values: { id } })
  publish({
    event,
    aggregateId: id,
    organizationId: row?.organization_id ?? null,
    payload: `{"endpoint":${endpoint},"failing_since":${row?.failing_since ?? null}}`,
  })
}

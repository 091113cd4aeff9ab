import { webhookEndpointDisabled } from '@quittance/contracts/webhooks'
import type { Transaction } from '@quittance/runtime/handler'
import { endpointView } from './endpoint-view.ts'
import { registerBacklog } from './hold-backlogs.ts'

const disable = `
  update webhook_endpoints set disabled_at = now(), disabled_reason = :reason, modified_at = now(), version = version + 1
  where id = :id and organization_id = any (:scope_organizations) and disabled_at is null and deleted_at is null
    and (:url::text is null or url = :url)
  returning id`

export interface DisableRequest {
  id: string
  reason: 'gone' | 'failing' | 'requested'
  /** Disables the endpoint only while it has this URL. */
  url?: string
}

/**
 * Disables an endpoint: its pending and future deliveries are held. Publishes `webhook_endpoint.disabled` once, unless the seller requested
 * it. Takes the same time however many deliveries wait. POSTs in progress are not aborted; deliveries that need a retry afterwards are held.
 */
export async function disableEndpoint(transaction: Transaction, { id, reason, url }: DisableRequest): Promise<void> {
  const { sql } = transaction
  const disabled = await sql('endpoints.disable', disable, { id, reason, url: url ?? null })
  if (disabled.length === 0) return
  await registerBacklog(transaction, id)
  if (reason !== 'requested') await publishEndpointEvent(transaction, { event: webhookEndpointDisabled, id })
}

const enable = `
  update webhook_endpoints set disabled_at = null, disabled_reason = null, modified_at = now(), version = version + 1
  where id = :id and organization_id = any (:scope_organizations) and disabled_at is not null`

const reset = `
  update webhook_lanes l set failing_since = null, warned_at = null, trips = 0, failures = 0, failed_events = '{}', paused_until = null
  from webhook_endpoints e
  where e.id = :id and e.organization_id = any (:scope_organizations) and l.endpoint_id = e.id`

/**
 * Enables an endpoint and resets its failure state. Held deliveries stay held until a recovery, and those that a job has still to hold are
 * held first.
 */
export async function enableEndpoint(transaction: Transaction, id: string): Promise<void> {
  await transaction.sql('endpoints.enable', enable, { id })
  await resetFailures(transaction, id)
}

/** Forgets failures: those of a former URL do not count for a new one. */
export async function resetFailures({ sql }: Transaction, id: string): Promise<void> {
  await sql('lanes.reset-failures', reset, { id })
}

const failingSinceSql = `
  select e.organization_id, to_json(l.failing_since)::text as failing_since from webhook_endpoints e join webhook_lanes l on l.endpoint_id = e.id
  where e.id = :id and e.organization_id = any (:scope_organizations)`

interface EndpointEvent {
  /** This event or `webhookEndpointFailing`, which has the same payload. */
  event: typeof webhookEndpointDisabled
  id: string
}

/** Publishes an event about an endpoint with its current state. */
export async function publishEndpointEvent({ sql, read, publish }: Transaction, { event, id }: EndpointEvent): Promise<void> {
  const [row] = await sql<{ organization_id: string; failing_since: string | null }>('lanes.failing-since', failingSinceSql, { id })
  const endpoint = await read.one(endpointView, { where: 'e.id = :id', values: { id } })
  publish({
    event,
    aggregateId: id,
    organizationId: row?.organization_id ?? null,
    payload: `{"endpoint":${endpoint},"failing_since":${row?.failing_since ?? null}}`,
  })
}

import type { webhookEndpointDisabled } from '@quittance/contracts/webhooks'
import type { Transaction } from '@quittance/runtime/handler'
import { endpointView } from './endpoint-view.ts'

const lane = `
  select e.organization_id, to_json(l.failing_since)::text as failing_since from webhook_endpoints e join webhook_lanes l on l.endpoint_id = e.id where e.id = :id`

interface Trouble {
  /** This one or its twin, of the same payload. */
  event: typeof webhookEndpointDisabled
  id: string
}

/** Tells what has become of an endpoint, with the endpoint as it is now. */
export async function tellOfEndpoint({ rows, read, publish }: Transaction, { event, id }: Trouble): Promise<void> {
  const [row] = await rows<{ organization_id: string; failing_since: string | null }>('lanes.trouble', lane, { id })
  const endpoint = await read.one(endpointView, { where: 'e.id = :id', values: { id } })
  publish({
    event,
    aggregateId: id,
    organizationId: row?.organization_id ?? null,
    payload: `{"endpoint":${endpoint},"failing_since":${row?.failing_since ?? null}}`,
  })
}

import { randomUUID } from 'node:crypto'
import { publicEvents } from '@quittance/contracts/registry'
import { buildContractExample } from '@quittance/contracts/schema-example'
import { testWebhookEndpoint as contract } from '@quittance/contracts/webhooks'
import { command } from '@quittance/runtime/handler'
import type { ScopedSql } from '@quittance/sql/sql-runner'
import { deliveryJobName } from '../job-names.ts'
import { chatMessage } from '../events/chat-message.ts'
import { storeEvents } from '../events/store-events.ts'
import { envelope } from '../events/webhook-payload.ts'
import { requireEnabledEndpoint } from '../endpoints/endpoint-view.ts'

const formatSql = `select format from webhook_endpoints where id = :id and organization_id = any (:scope_organizations)`

/** Sends an example event with its own id through the normal delivery path, but with one attempt only. */
export const testEndpoint = command(contract, async ({ id, type }, { read, sql, now: occurredAt, wake, traceparent }) => {
  const organizationId = await requireEnabledEndpoint({ read }, id)
  const event = publicEvents.find(({ webhookType }) => webhookType === type)
  if (!event) throw new Error(`No event is of type ${type}`)
  const payload = buildContractExample(event.payload)
  const eventId = randomUUID()
  const format = await loadFormat(sql, id)
  const body = format === 'raw' ? null : chatMessage(format, { event, payload, occurredAt })
  await storeEvents(sql, [
    {
      traceparent,
      id: eventId,
      organizationId,
      type,
      aggregateId: eventId,
      occurredAt,
      payload: envelope(type, { occurredAt, data: JSON.stringify(payload) }),
      deliveries: [{ endpointId: id, body, isHeld: false, isTest: true }],
    },
  ])
  wake(deliveryJobName)
  return { event_id: eventId }
})

async function loadFormat(sql: ScopedSql, id: string): Promise<'raw' | 'slack' | 'discord'> {
  const [row] = await sql<{ format: 'raw' | 'slack' | 'discord' }>('endpoints.format', formatSql, { id })
  return row?.format ?? 'raw'
}

import { randomUUID } from 'node:crypto'
import { publicEvents } from '@quittance/contracts/registry'
import { testWebhookEndpoint as contract } from '@quittance/contracts/webhooks'
import { command, type Rows } from '@quittance/runtime/handler'
import { deliverDue } from '../deliveries/deliver-due.ts'
import { chatMessage } from '../events/chat-message.ts'
import { exampleOf } from '../events/example.ts'
import { keepEvents } from '../events/keep-events.ts'
import { envelope } from '../events/webhook-payload.ts'
import { demandEnabled } from './demand-enabled.ts'

const formatSql = `select format from webhook_endpoints where id = :id`

/** Goes the way of every event, under an id of its own, but is tried once only. */
export const testEndpoint = command(contract, async ({ id, type }, { read, rows, now: occurredAt, wake, traceparent }) => {
  const organizationId = await demandEnabled({ read }, id)
  const event = publicEvents.find(({ webhookType }) => webhookType === type)
  if (!event) throw new Error(`No event is of type ${type}`)
  const payload = exampleOf(event.payload, occurredAt)
  const eventId = randomUUID()
  const format = await formatOf(rows, id)
  const body = format === 'raw' ? null : chatMessage(format, { event, payload, occurredAt })
  await keepEvents(rows, [
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
  wake(deliverDue)
  return { event_id: eventId }
})

async function formatOf(rows: Rows, id: string): Promise<'raw' | 'slack' | 'discord'> {
  const [row] = await rows<{ format: 'raw' | 'slack' | 'discord' }>('endpoints.format', formatSql, { id })
  return row?.format ?? 'raw'
}

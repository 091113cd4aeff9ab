import { publicEvents, type PublicEvent } from '@quittance/contracts/registry'
import { subscriptions } from '@quittance/contracts/streams'
import { batchConsumer, type EventMessage, type Rows } from '@quittance/runtime/handler'
import { deliverDue } from '../deliveries/deliver-due.ts'
import { chatMessage } from './chat-message.ts'
import { keepEvents, type NewDelivery } from './keep-events.ts'
import { webhookPayload } from './webhook-payload.ts'

interface Listener {
  id: string
  organization_id: string
  events: string[]
  format: 'raw' | 'discord' | 'slack'
  is_disabled: boolean
}

const listening = `
  select id, organization_id, events, format, disabled_at is not null as is_disabled
  from webhook_endpoints where organization_id = any (:organization_ids::uuid[]) and deleted_at is null`

type Message = EventMessage<PublicEvent>

/** Events become deliveries for every endpoint that wants their type. Nobody listening: nothing is kept. */
export const onPublicEvent = batchConsumer(subscriptions.webhooksPublicEvents, publicEvents, {
  async concerning(messages, rows) {
    const listenersOf = await listenersTo(messages, rows)
    return messages.filter((message) => listenersOf(message).length > 0)
  },
  async run(messages, { rows, wake }) {
    const listenersOf = await listenersTo(messages, rows)
    if (
      await keepAll(
        rows,
        messages.flatMap((message) => wantedBy(listenersOf(message), message)),
      )
    )
      wake(deliverDue)
  },
})

/** Finds the endpoints that want a message. */
async function listenersTo(messages: readonly Message[], rows: Rows): Promise<(message: Message) => Listener[]> {
  const organizationIds = [...new Set(messages.flatMap(({ organizationId }) => organizationId ?? []))]
  if (organizationIds.length === 0) return () => []
  const listeners = await rows<Listener>('endpoints.listening', listening, { organization_ids: organizationIds })
  const byOrganization = Map.groupBy(listeners, ({ organization_id }) => organization_id)
  return ({ organizationId, event: { webhookType: type } }) => {
    const names = [type, `${type.split('.')[0]}.*`, '*']
    return (byOrganization.get(organizationId ?? '') ?? []).filter(({ events }) => names.some((name) => events.includes(name)))
  }
}

interface Wanted {
  message: Message
  deliveries: NewDelivery[]
}

function wantedBy(listeners: readonly Listener[], message: Message): Wanted[] {
  const deliveries = listeners.flatMap(({ id, format, is_disabled }) => {
    const body = format === 'raw' ? null : chatMessage(format, message)
    return format !== 'raw' && body === null ? [] : [{ endpointId: id, body, isHeld: is_disabled, isTest: false }]
  })
  return deliveries.length > 0 ? [{ message, deliveries }] : []
}

function keepAll(rows: Rows, wanted: readonly Wanted[]): Promise<boolean> {
  const events = wanted.map(({ message, deliveries }) => ({
    id: message.id,
    organizationId: message.organizationId ?? '',
    type: message.event.webhookType,
    aggregateId: message.aggregateId,
    occurredAt: message.occurredAt,
    payload: webhookPayload(message),
    traceparent: message.traceparent,
    deliveries,
  }))
  return keepEvents(rows, events)
}

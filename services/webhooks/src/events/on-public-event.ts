import { publicEvents, type PublicEvent } from '@quittance/contracts/registry'
import { durableConsumers } from '@quittance/contracts/streams'
import { batchConsumer, type EventMessage } from '@quittance/runtime/handler'
import type { SystemSql } from '@quittance/sql/sql-runner'
import { findFilters } from '../endpoints/selection.ts'
import { deliveryJobName } from '../job-names.ts'
import { chatMessage, isChatNoise } from './chat-message.ts'
import { storeEvents, type NewDelivery } from './store-events.ts'
import { webhookPayload } from './webhook-payload.ts'

interface EndpointRow {
  id: string
  organization_id: string
  events: string[]
  format: 'raw' | 'discord' | 'slack'
  is_disabled: boolean
  /** Milliseconds since 1970. */
  registered_ms: number
  /** When a type was selected, for those that were selected after the registration. */
  selected_since: Record<string, string>
}

const endpointsSql = `
  select id, organization_id, events, format, disabled_at is not null as is_disabled,
    (extract(epoch from registered_at) * 1000)::float8 as registered_ms, selected_since
  from webhook_endpoints where organization_id = any (:organization_ids::uuid[]) and deleted_at is null`

type Message = EventMessage<PublicEvent>

/** Endpoints of the messages that were selected just before. A replayed message is not selected. */
const endpointsOf = new WeakMap<Message, EndpointRow[]>()

/**
 * Creates a delivery for every endpoint that has selected the event's type since before the event, so that a replay, or a stream that was
 * published again, brings no earlier events to a new endpoint or selection. Stores nothing if there is no such endpoint.
 */
export const onPublicEvent = batchConsumer(durableConsumers.webhooksPublicEvents, publicEvents, {
  async concerning(messages, systemSql) {
    const findEndpoints = await createEndpointMatcher(messages, systemSql)
    return messages.filter((message) => {
      const endpoints = findEndpoints(message)
      endpointsOf.set(message, endpoints)
      return endpoints.length > 0
    })
  },
  async run(messages, { systemSql, wake }) {
    const isSelected = messages.every((message) => endpointsOf.has(message))
    const findEndpoints = isSelected
      ? (message: Message) => endpointsOf.get(message) ?? []
      : await createEndpointMatcher(messages, systemSql)
    const storable = messages.flatMap((message) => toStorable(findEndpoints(message), message))
    if (await storeAll(systemSql, storable)) wake(deliveryJobName)
  },
})

/** Returns a function that finds the endpoints that a message concerns. */
async function createEndpointMatcher(messages: readonly Message[], systemSql: SystemSql): Promise<(message: Message) => EndpointRow[]> {
  const organizationIds = [...new Set(messages.flatMap(({ organizationId }) => organizationId ?? []))]
  if (organizationIds.length === 0) return () => []
  const endpoints = await systemSql<EndpointRow>('endpoints.of-organizations', endpointsSql, { organization_ids: organizationIds })
  const byOrganization = Map.groupBy(endpoints, ({ organization_id }) => organization_id)
  return ({ organizationId, event: { webhookType: type }, occurredAt }) => {
    const filters = findFilters(type)
    const selecting = (byOrganization.get(organizationId ?? '') ?? []).filter(({ events }) => filters.some((each) => events.includes(each)))
    return selecting.filter((endpoint) => findStart(endpoint, type) <= occurredAt.getTime())
  }
}

/** Returns from when on an endpoint gets the events of a type, in milliseconds since 1970. */
function findStart({ registered_ms, selected_since }: EndpointRow, type: string): number {
  const since = selected_since[type]
  return since === undefined ? registered_ms : Math.max(registered_ms, Date.parse(since))
}

interface StorableMessage {
  message: Message
  deliveries: NewDelivery[]
}

function toStorable(endpoints: readonly EndpointRow[], message: Message): StorableMessage[] {
  const deliveries = endpoints.flatMap(({ id, format, is_disabled }) => {
    if (format !== 'raw' && isChatNoise(message)) return []
    const body = format === 'raw' ? null : chatMessage(format, message)
    return [{ endpointId: id, body, isHeld: is_disabled, isTest: false }]
  })
  return deliveries.length > 0 ? [{ message, deliveries }] : []
}

function storeAll(systemSql: SystemSql, storable: readonly StorableMessage[]): Promise<boolean> {
  const events = storable.map(({ message, deliveries }) => ({
    id: message.id,
    organizationId: message.organizationId ?? '',
    type: message.event.webhookType,
    aggregateId: message.aggregateId,
    occurredAt: message.occurredAt,
    payload: webhookPayload(message),
    traceparent: message.traceparent,
    deliveries,
  }))
  return storeEvents(systemSql, events, { scope_organizations: events.map(({ organizationId }) => organizationId) })
}

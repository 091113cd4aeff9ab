import { randomUUID } from 'node:crypto'
import type { Caller } from '@quittance/contracts/caller'
import type { ReplyOf } from '@quittance/contracts/operation'
import { orderCreated, orderPaid, orderUpdated } from '@quittance/contracts/orders'
import { listWebhookDeliveries } from '@quittance/contracts/webhook-deliveries'
import { createWebhookEndpoint } from '@quittance/contracts/webhooks'
import { type WebhookEventFilter } from '@quittance/contracts/webhook-event-types'
import { organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { startTestService, trustCertificate, type TestService } from '@quittance/testing/harness'
import { webhooks } from '../src/service.ts'
import { certificates } from './certificates.ts'
import { anOrder } from './order-payload.ts'

type Attempts = ReplyOf<typeof listWebhookDeliveries>['items']
type Endpoint = ReplyOf<typeof createWebhookEndpoint>

interface EndpointInput {
  url: string
  events?: WebhookEventFilter[]
  format?: 'raw' | 'slack' | 'discord'
  secret?: string
}

export interface TestWebhooks extends TestService {
  organizationId: string
  caller: Caller
  /** Creates an endpoint of the organization; by default for all three order events. */
  endpoint(input: EndpointInput): Promise<Endpoint>
  /** Publishes events of one order in this sequence and returns their ids. */
  publishEvents(events: readonly (typeof paidOrderEvents)[number][], about?: { organizationId?: string }): Promise<string[]>
  /** Waits for this number of attempts at an endpoint and returns them, oldest first. */
  attempts(endpoint: { id: string }, count: number): Promise<Attempts>
  /** Makes the pending retries of these endpoints due. */
  retryNow(endpoints: readonly { id: string }[]): Promise<void>
  /** Number of deliveries by status. */
  statuses(): Promise<Record<string, number>>
}

export const paidOrderEvents = [orderCreated, orderUpdated, orderPaid] as const

export async function startWebhooks(): Promise<TestWebhooks> {
  trustCertificate(certificates.authority)
  // Four attempts in total, with short delays.
  process.env['RETRY_SCHEDULE_S'] ??= '0.05,0.05,0.05'
  const service = await startTestService(webhooks)
  const organizationId = randomUUID()
  const caller = organizationCaller(organizationId)
  return {
    ...service,
    organizationId,
    caller,
    endpoint: ({ url, events = ['order.created', 'order.updated', 'order.paid'], secret, format = 'raw' }) =>
      service.call(createWebhookEndpoint, { url, format, events, ...(secret && { secret }) }, caller),
    async publishEvents(events, about = {}) {
      const target = about.organizationId ?? organizationId
      const order = anOrder(target)
      const ids: string[] = []
      for (const event of events) ids.push(await service.emit(event, order, { organizationId: target, aggregateId: order.id }))
      return ids
    },
    attempts: ({ id }, count) =>
      eventually(async () => {
        const { items } = await service.call(listWebhookDeliveries, { endpoint_id: id, limit: 100 }, caller)
        if (items.length !== count) throw new Error(`${items.length} attempts: ${items.map((item) => item.http_code).join(', ')}`)
        return items.toReversed()
      }),
    async retryNow(endpoints) {
      const ids = [endpoints.map(({ id }) => id)]
      await service.rows(`update webhook_deliveries set next_attempt_at = now() where status = 'pending' and endpoint_id = any($1)`, ids)
      await service.rows('update webhook_lanes set next_due_at = now() where endpoint_id = any($1)', ids)
      await service.rows(`notify wake, 'deliver-due'`)
    },
    async statuses() {
      const rows = await service.rows<{ status: string; count: number }>(
        'select status, count(*)::int from webhook_deliveries group by status',
      )
      return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
    },
  }
}

import { setTimeout as pause } from 'node:timers/promises'
import type { ServiceName } from '@quittance/contracts/services'
import { eventually } from '@quittance/testing/eventually'
import { startEndpointSink, type EndpointSink } from '@quittance/testing/endpoint-sink'
import { scale } from '@quittance/testing/scale'
import { startSystem, type StartedSystem } from '@quittance/testing/system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectAccepted, buyer, sell, subscribe, waitUntilPaid } from '../sale.ts'

let system: StartedSystem
let sink: EndpointSink

beforeAll(async () => {
  // Leases of a dead replica expire sooner than in production; the mechanisms are the same.
  system = await startSystem({
    env: { CONSUMER_ACK_WAIT_MS: '2000', JOB_LEASE_MS: '3000', RATE_LIMIT_PER_SECOND: '0', RETRY_SCHEDULE_S: '1,1,1,1,1,1,1,1,1' },
  })
  sink = await startEndpointSink()
  await subscribe(system, sink)
})

afterAll(async () => {
  await system[Symbol.asyncDispose]()
  await sink[Symbol.asyncDispose]()
})

/** Milliseconds between the request and the kill, which interrupts different steps between request and delivery. */
const momentsMs = scale([0], [0, 40, 150])
const services = ['gateway', 'auth', 'orders', 'invoices', 'webhooks', 'mail', 'usage'] as const satisfies ServiceName[]

// One service after the other: the supervisor delays the restart of a service that exits repeatedly.
test.each(momentsMs)(
  'any service killed %d ms after an invoice request: one invoice, every event at least once',
  async (delayMs) => {
    for (const service of services) {
      await system.untilReady()
      const id = await sell(system)
      await waitUntilPaid(system, id)
      await expectAccepted(() => system.api('PATCH', `/v1/orders/${id}`, buyer))
      const invoiceRequest = system.api('POST', `/v1/orders/${id}/invoice`).catch(() => null)
      await pause(delayMs)
      system.kill(service)
      await invoiceRequest
      // The client does not know whether the request succeeded: it repeats the request, as clients do.
      await expectAccepted(() => system.api('POST', `/v1/orders/${id}/invoice`), [409])
      await waitUntilDelivered(id)
      expect(await countInvoices(id)).toBe(1)
    }
  },
  300_000,
)

test('resends an event with the same id after webhooks is killed during the response', async () => {
  await system.untilReady()
  const heldResponse = Promise.withResolvers<void>()
  const findNewPosts = () =>
    sink.received.filter(({ body }) => JSON.parse(body).type === 'order.created' && !knownIds.has(JSON.parse(body).data.id))
  const knownIds = new Set(sink.received.map(({ body }) => JSON.parse(body).data.id))
  sink.respondWith(({ body }) =>
    findNewPosts().length === 1 && JSON.parse(body).type === 'order.created'
      ? { status: 200, after: heldResponse.promise }
      : { status: 200 },
  )
  await sell(system)
  await eventually(() => expect(findNewPosts()).toHaveLength(1))
  system.kill('webhooks')
  await eventually(() => expect(findNewPosts().length).toBeGreaterThanOrEqual(2))
  heldResponse.resolve()
  sink.respondWith(() => ({ status: 200 }))
  expect(new Set(findNewPosts().map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  expect(new Set(findNewPosts().map(({ body }) => body)).size).toBe(1)
})

/** Every event id that the endpoint received has the same body in all deliveries. */
test('every repeated event of these kills is byte-identical', () => {
  const bodies = Map.groupBy(sink.received, ({ headers }) => headers['webhook-id'])
  for (const [, posts] of bodies) expect(new Set(posts.map(({ body }) => body)).size).toBe(1)
  expect(bodies.size).toBeGreaterThan(services.length * momentsMs.length * 3)
})

function waitUntilDelivered(id: string): Promise<void> {
  const types = ['order.created', 'order.paid', 'order.updated+invoice']
  return eventually(() => expect(listDeliveredTypes(id)).toEqual(expect.arrayContaining(types)))
}

function listDeliveredTypes(id: string): string[] {
  return sink.received
    .map(({ body }) => JSON.parse(body))
    .filter(({ data }) => data.id === id)
    .map(({ type, data }) => (type === 'order.updated' && data.is_invoice_generated ? 'order.updated+invoice' : type))
}

async function countInvoices(orderId: string): Promise<number> {
  const sql = 'select count(*)::int as count from invoices i join invoice_documents d on d.invoice_id = i.id where i.order_id = $1'
  const rows = await system.rows<{ count: number }>('invoices', sql, [orderId])
  return rows[0]?.count ?? 0
}

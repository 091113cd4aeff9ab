import { setTimeout as pause } from 'node:timers/promises'
import type { ServiceName } from '@quittance/contracts/services'
import { eventually } from '@quittance/testing/eventually'
import { startEndpointSink, type EndpointSink } from '@quittance/testing/endpoint-sink'
import { startSystem, type StartedSystem } from '@quittance/testing/system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accepted, buyer, sell, subscribe, untilPaid } from '../sale.ts'

let system: StartedSystem
let sink: EndpointSink

beforeAll(async () => {
  // What a dead replica held is taken over sooner than in production; the mechanisms are the same.
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

/** Milliseconds between the request and the kill: they fall on different arrows of the way from request to delivery. */
const momentsMs = [0, 40, 150]
const services = ['gateway', 'auth', 'orders', 'invoices', 'webhooks'] as const satisfies ServiceName[]

// One service after the other: the supervisor lets one wait that ends again and again.
test.each(momentsMs)(
  'killing any service %d ms after the request for an invoice loses nothing: one invoice, every event at least once',
  async (moment) => {
    for (const service of services) {
      await system.untilReady()
      const id = await sell(system)
      await untilPaid(system, id)
      await accepted(() => system.api('PATCH', `/v1/orders/${id}`, buyer))
      const asked = system.api('POST', `/v1/orders/${id}/invoice`).catch(() => null)
      await pause(moment)
      system.kill(service)
      await asked
      // The client does not know whether it was heard: it asks again, as clients do.
      await accepted(() => system.api('POST', `/v1/orders/${id}/invoice`), [409])
      await untilTold(id)
      expect(await invoicesOf(id)).toBe(1)
    }
  },
  300_000,
)

test('killing webhooks while the endpoint is still answering sends the event again, under the same id', async () => {
  await system.untilReady()
  const held = Promise.withResolvers<void>()
  const seen = () => sink.received.filter(({ body }) => JSON.parse(body).type === 'order.created' && !known.has(JSON.parse(body).data.id))
  const known = new Set(sink.received.map(({ body }) => JSON.parse(body).data.id))
  sink.answer(({ body }) =>
    seen().length === 1 && JSON.parse(body).type === 'order.created' ? { status: 200, after: held.promise } : { status: 200 },
  )
  await sell(system)
  await eventually(() => expect(seen()).toHaveLength(1))
  system.kill('webhooks')
  await eventually(() => expect(seen().length).toBeGreaterThanOrEqual(2))
  held.resolve()
  sink.answer(() => ({ status: 200 }))
  expect(new Set(seen().map(({ headers }) => headers['webhook-id'])).size).toBe(1)
})

/** Every id the endpoint saw carries one and the same body, however often it came. */
test('an event that was sent twice was the same event, byte for byte', () => {
  const bodies = Map.groupBy(sink.received, ({ headers }) => headers['webhook-id'])
  for (const [, posts] of bodies) expect(new Set(posts.map(({ body }) => body)).size).toBe(1)
  expect(bodies.size).toBeGreaterThan(services.length * momentsMs.length * 3)
})

function untilTold(id: string): Promise<void> {
  const types = ['order.created', 'order.paid', 'order.updated+invoice']
  return eventually(() => expect(typesFor(id)).toEqual(expect.arrayContaining(types)))
}

function typesFor(id: string): string[] {
  return sink.received
    .map(({ body }) => JSON.parse(body))
    .filter(({ data }) => data.id === id)
    .map(({ type, data }) => (type === 'order.updated' && data.is_invoice_generated ? 'order.updated+invoice' : type))
}

async function invoicesOf(orderId: string): Promise<number> {
  const sql = 'select count(*)::int as count from invoices i join invoice_documents d on d.invoice_id = i.id where i.order_id = $1'
  const rows = await system.rows<{ count: number }>('invoices', sql, [orderId])
  return rows[0]?.count ?? 0
}

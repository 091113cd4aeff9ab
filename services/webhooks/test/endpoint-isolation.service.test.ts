import { createServer, type AddressInfo, type Socket } from 'node:net'
import { orderPaid, orderUpdated } from '@quittance/contracts/orders'
import { startEndpointSink } from '@quittance/testing/endpoint-sink'
import { eventually } from '@quittance/testing/eventually'
import { scale } from '@quittance/testing/scale'
import { expect, test } from 'vitest'
import { acceptedIds, expectAllDelivered } from './delivery-assertions.ts'
import { startWebhooks, paidOrderEvents } from './start-webhooks.ts'

process.env['DELIVERY_TIMEOUT_MS'] = '60000'

const hanging = scale(300, 1_000)

/** Accepts connections and never responds. */
async function silentServer() {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => void sockets.add(socket.on('error', () => {})))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 4_096, resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    connections: () => sockets.size,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((closed) => server.close(closed))
    },
  }
}

test(`delivers at once to endpoints that respond while ${hanging} others hang [fault 42]`, async () => {
  await using silent = await silentServer()
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  const { id, secret } = await webhooks.endpoint({ url: sink.url })
  await webhooks.rows(
    `with copied as (
       insert into webhook_endpoints (id, created_at, organization_id, url, format, events, sealed_secret)
       select gen_random_uuid(), now(), organization_id, $1 || n, 'raw', '{order.created}', sealed_secret
       from webhook_endpoints, generate_series(1, $2) n where id = $3 returning id)
     insert into webhook_lanes (endpoint_id) select id from copied`,
    [silent.url, hanging, id],
  )
  const ids = await webhooks.publishEvents(paidOrderEvents)
  // All of them: no endpoint waits for one that hangs, not even another that hangs.
  await eventually(() => expect(silent.connections()).toBe(hanging))
  for (let order = 0; order < 10; order++) ids.push(...(await webhooks.publishEvents([orderUpdated, orderPaid])))
  await eventually(() => expect(sink.received).toHaveLength(23))
  expectAllDelivered(sink.received, { ids, secret })
  const ended = await webhooks.rows('select distinct endpoint_id from webhook_attempts')
  expect(ended).toEqual([{ endpoint_id: id }])
})

test('keeps five concurrent POSTs at an endpoint that takes more than a second for each', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  const endpoint = await webhooks.endpoint({ url: sink.url })
  // Fast at first, so that it gets ten concurrent POSTs.
  for (let count = 1; count <= 4; count++) {
    await webhooks.publishEvents([orderUpdated])
    await webhooks.attempts(endpoint, count)
  }
  const releases: (() => void)[] = []
  sink.respondWith(() => ({ status: 200, after: new Promise<void>((release) => releases.push(release)) }))
  for (let order = 0; order < 15; order++) await webhooks.publishEvents([orderUpdated])
  await eventually(() => expect(releases).toHaveLength(10))
  await eventually(async () => {
    const page = await (await fetch(`http://127.0.0.1:${webhooks.healthPort()}/metrics`)).text()
    expect(page).toMatch(/^webhook_slots_used\{.*pool="parked".*\} 10$/m)
  })
  for (let released = 1; released <= 10; released++) {
    releases[released - 1]?.()
    await webhooks.attempts(endpoint, 4 + released)
    // Ten were in progress before the endpoint was slow.
    await eventually(() => expect(releases.length - released).toBeGreaterThanOrEqual(Math.min(5, 15 - released)), { withinMs: 10_000 })
  }
  for (const release of releases) release()
})

test('delivers the events of other orders while the first of 250 events of one order has no response', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  await webhooks.endpoint({ url: sink.url })
  const first = await webhooks.publishEvents(paidOrderEvents)
  await eventually(() => expect(acceptedIds(sink)).toEqual(first))
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  sink.respondWith((_, count) => (count === 4 ? { status: 200, after: released } : { status: 200 }))
  const ofOne = await webhooks.publishEvents(Array.from({ length: 250 }, () => orderUpdated))
  const ofOther = await webhooks.publishEvents(paidOrderEvents)
  await eventually(() => expect(acceptedIds(sink)).toEqual([...first, ...ofOther]), { withinMs: 30_000 })
  release()
  await eventually(() => expect(acceptedIds(sink).toSorted()).toEqual([...first, ...ofOther, ...ofOne].toSorted()))
})

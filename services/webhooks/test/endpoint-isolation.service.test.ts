import { createServer, type AddressInfo, type Socket } from 'node:net'
import { orderPaid, orderUpdated } from '@quittance/contracts/orders'
import { startEndpointSink } from '@quittance/testing/endpoint-sink'
import { eventually } from '@quittance/testing/eventually'
import { scale } from '@quittance/testing/scale'
import { expect, test } from 'vitest'
import { expectAllDelivered } from './delivery-assertions.ts'
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

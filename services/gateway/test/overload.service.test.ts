import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { mintToken } from '@quittance/runtime/credential'
import { organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bearer, gatewayPort, type GatewayUnderTest, startGateway, verification, verifiedAs } from './start-gateway.ts'

// Far above the delay of a busy machine: only the block exceeds it.
process.env['MAX_EVENT_LOOP_DELAY_MS'] = '1000'
process.env['REQUEST_TIMEOUT_MS'] = '1000'

const token = mintToken('qt_oat_')
const never = Promise.withResolvers<string>()
let gateway: GatewayUnderTest
let dribbled: Promise<string>

beforeAll(async () => {
  gateway = await startGateway()
  await gateway.play(verification, verifiedAs(organizationCaller(randomUUID())))
  // Takes as long as the header timeout: the other tests run at the same time.
  dribbled = sendSlowHeaders()
})
afterAll(() => gateway[Symbol.asyncDispose]())

async function open(): Promise<Socket> {
  const socket = connect(gatewayPort, '127.0.0.1')
  await once(socket, 'connect')
  return socket
}

/** A client that sends one more header byte five times a second and never finishes. */
async function sendSlowHeaders(): Promise<string> {
  const socket = await open()
  socket.write('GET /v1/changes HTTP/1.1\r\nHost: x\r\nX-Long: ')
  const timer = setInterval(() => socket.write('x'), 200)
  try {
    return await text(socket)
  } finally {
    clearInterval(timer)
  }
}

/** Blocks the event loop, as a long computation would. */
function block(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

test('rejects waiting requests after a long event-loop delay, answers probes, and recovers', async () => {
  const [one, probe] = [await open(), await open()]
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`
  // The requests are sent before the block starts, so the gateway reads them first after it.
  await new Promise<void>((resolve) =>
    setImmediate(() => {
      one.write(get('/v1/changes'))
      probe.write(get('/livez'))
      block(3_000)
      resolve()
    }),
  )
  const [rejectedReply, alive] = await Promise.all([text(one), text(probe)])
  expect(rejectedReply).toMatch(/^HTTP\/1\.1 503 /)
  expect(rejectedReply).toMatch(/\r\nretry-after: 1\r\n/i)
  expect(rejectedReply).toContain('{"error":"ServiceUnavailable","detail":"The gateway is overloaded. Retry later."}')
  expect(alive).toMatch(/^HTTP\/1\.1 200 /)
  await eventually(async () => expect((await gateway.fetch('/v1/changes')).status).toBe(200))
})

// On other platforms the kernel's accept queue is shorter.
test.skipIf(process.platform !== 'linux')('accepts 900 simultaneous connections without a dropped SYN', async () => {
  const crowd = Array.from({ length: 900 }, () => connect(gatewayPort, '127.0.0.1'))
  let connected = 0
  for (const socket of crowd) socket.once('connect', () => (connected += 1))
  // The kernel completes connections up to the backlog; the gateway accepts one per turn of the event loop.
  for (let turns = 0; turns < 5; turns += 1) await nextTurn()
  for (const socket of crowd) socket.destroy()
  expect(connected).toBe(900)
})

test('retries a read once after its replica has failed', async () => {
  const calls = await gateway.play('orders.order.list', (_body, count) => (count === 1 ? never.promise : '{"items":[]}'))
  const response = await gateway.fetch('/v1/orders/', { headers: bearer(token) })
  expect([response.status, await response.text()]).toEqual([200, '{"items":[]}'])
  expect(calls).toHaveLength(2)
  const [first, again] = calls.map(({ headers }) => Number(headers['deadline']))
  expect(again).toBeGreaterThan(first as number)
})

test('sends a read at most twice if there is no reply', async () => {
  const calls = await gateway.play('orders.discount.list', () => never.promise)
  expect((await gateway.fetch('/v1/discounts/', { headers: bearer(token) })).status).toBe(503)
  expect(calls).toHaveLength(2)
})

test('rejects a write after its replica has failed and never repeats it', async () => {
  const calls = await gateway.play('orders.product.create', () => never.promise)
  const headers = { ...bearer(token), 'content-type': 'application/json', 'idempotency-key': randomUUID() }
  const response = await gateway.fetch('/v1/products/', { method: 'POST', headers, body: '{}' })
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await response.json()).toMatchObject({ error: 'ServiceUnavailable' })
  expect(calls).toHaveLength(1)
})

test('returns 408 and closes the connection for slow headers', async () => {
  const answer = await dribbled
  expect(answer).toMatch(/^HTTP\/1\.1 408 /)
  expect(answer).toContain('{"error":"RequestTimeout","detail":"The request did not arrive in time."}')
})

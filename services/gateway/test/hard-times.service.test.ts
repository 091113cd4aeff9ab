import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { mintToken } from '@quittance/runtime/credential'
import { organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bearer, startGateway, verification, verifiedAs, type GatewayUnderTest } from './start-gateway.ts'

// Far more than a busy machine makes of it: only the block is to be met.
process.env['MAX_EVENT_LOOP_DELAY_MS'] = '1000'
process.env['REQUEST_TIMEOUT_MS'] = '1000'

const token = mintToken('qt_oat_')
const never = Promise.withResolvers<string>()
let gateway: GatewayUnderTest
let dribbled: Promise<string>

beforeAll(async () => {
  gateway = await startGateway()
  await gateway.play(verification, verifiedAs(organizationCaller(randomUUID())))
  // Takes as long as the door is patient: the other tests run meanwhile.
  dribbled = dribble()
})
afterAll(() => gateway[Symbol.asyncDispose]())

async function open(): Promise<Socket> {
  const socket = connect(Number(process.env['PORT']), '127.0.0.1')
  await once(socket, 'connect')
  return socket
}

/** All that comes back until the connection ends. */
async function answerOf(socket: Socket): Promise<string> {
  let text = ''
  for await (const bytes of socket) text += String(bytes)
  return text
}

/** A client that sends one more letter of its headers five times a second, and never comes to an end. */
async function dribble(): Promise<string> {
  const socket = await open()
  socket.write('GET /v1/changes HTTP/1.1\r\nHost: x\r\nX-Long: ')
  const dribbling = setInterval(() => socket.write('x'), 200)
  try {
    return await answerOf(socket)
  } finally {
    clearInterval(dribbling)
  }
}

/** Keeps the process from everything else, as a long computation would. */
function block(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

test('a door that is far behind refuses what waited, answers health first, and lets everybody in when it has caught up', async () => {
  const [one, probe] = [await open(), await open()]
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`
  // The letters are on their way before the block begins: the first that the door does after it is to look at them.
  await new Promise<void>((resolve) =>
    setImmediate(() => {
      one.write(get('/v1/changes'))
      probe.write(get('/livez'))
      block(3_000)
      resolve()
    }),
  )
  const [refused, alive] = await Promise.all([answerOf(one), answerOf(probe)])
  expect(refused).toMatch(/^HTTP\/1\.1 503 /)
  expect(refused).toMatch(/\r\nretry-after: 1\r\n/i)
  expect(refused).toContain('{"error":"ServiceUnavailable","detail":"The gateway has more to do than it can."}')
  expect(alive).toMatch(/^HTTP\/1\.1 200 /)
  await eventually(async () => expect((await gateway.fetch('/v1/changes')).status).toBe(200))
})

// Elsewhere the kernel has fewer places than that.
test.skipIf(process.platform !== 'linux')(
  'a crowd that comes at once is let in as it stands: nobody has to knock again a second later',
  async () => {
    const crowd = Array.from({ length: 900 }, () => connect(Number(process.env['PORT']), '127.0.0.1'))
    let connected = 0
    for (const socket of crowd) socket.once('connect', () => (connected += 1))
    // The kernel connects whom it has a place for without the door, which takes in one per turn of the loop.
    for (let turns = 0; turns < 5; turns += 1) await nextTurn()
    for (const socket of crowd) socket.destroy()
    expect(connected).toBe(900)
  },
)

test('a read whose replica vanished with it is asked once more, and answered', async () => {
  const asked = await gateway.play('orders.order.list', (_body, count) => (count === 1 ? never.promise : '{"items":[]}'))
  const response = await gateway.fetch('/v1/orders/', { headers: bearer(token) })
  expect([response.status, await response.text()]).toEqual([200, '{"items":[]}'])
  expect(asked).toHaveLength(2)
  const [first, again] = asked.map(({ headers }) => Number(headers['deadline']))
  expect(again).toBeGreaterThan(first as number)
})

test('a read that nobody answers is asked twice and no more', async () => {
  const asked = await gateway.play('orders.discount.list', () => never.promise)
  expect((await gateway.fetch('/v1/discounts/', { headers: bearer(token) })).status).toBe(503)
  expect(asked).toHaveLength(2)
})

test('a write whose replica vanished with it is refused and never asked again', async () => {
  const asked = await gateway.play('orders.product.create', () => never.promise)
  const headers = { ...bearer(token), 'content-type': 'application/json', 'idempotency-key': randomUUID() }
  const response = await gateway.fetch('/v1/products/', { method: 'POST', headers, body: '{}' })
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await response.json()).toMatchObject({ error: 'ServiceUnavailable' })
  expect(asked).toHaveLength(1)
})

test('a client that dribbles its headers is told so and cut off', async () => {
  const answer = await dribbled
  expect(answer).toMatch(/^HTTP\/1\.1 408 /)
  expect(answer).toContain('{"error":"RequestTimeout","detail":"The request did not arrive in time."}')
})

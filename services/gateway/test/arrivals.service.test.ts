import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { mintToken } from '@quittance/runtime/credential'
import { organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { gatewayPort, type GatewayUnderTest, startGateway, verification, verifiedAs } from './start-gateway.ts'

process.env['MAX_IN_FLIGHT'] = '8'

let gateway: GatewayUnderTest
const sockets: Socket[] = []

beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await gateway[Symbol.asyncDispose]()
})

/** Opens a request whose body does not arrive. */
async function openUnfinished(): Promise<Socket> {
  const socket = connect(gatewayPort, '127.0.0.1')
  sockets.push(socket)
  await once(socket, 'connect')
  socket.write('POST /v1/products/ HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n')
  return socket
}

const post = (body: string) => gateway.fetch('/v1/products/', { method: 'POST', headers: { 'content-type': 'application/json' }, body })

test('bodies that do not arrive take no place from others, are limited per address, and end with 408', async () => {
  const unfinished = await Promise.all(Array.from({ length: 40 }, openUnfinished))
  const replies = unfinished.map((each) => text(each))
  for (let repeat = 0; repeat < 20; repeat++) expect((await gateway.fetch('/v1/changes')).status).toBe(200)
  const limited = await eventually(async () => {
    const response = await post('{}')
    expect(response.status).toBe(429)
    return response
  })
  expect(await limited.json()).toMatchObject({ error: 'TooManyRequests' })
  expect((await gateway.fetch('/v1/changes')).status).toBe(200)
  for (const reply of await Promise.all(replies)) expect(reply).toMatch(/^HTTP\/1\.1 408 /)
  expect((await post('{}')).status).toBe(401)
})

test('a body that is slow but arrives at the minimum rate is handled', async () => {
  const socket = connect(gatewayPort, '127.0.0.1')
  sockets.push(socket)
  const body = JSON.stringify({ name: 'x'.repeat(12_000) })
  socket.write(
    `POST /v1/products/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
  )
  let sent = 0
  const timer = setInterval(() => socket.write(body.slice(sent, (sent += 1_000))), 500)
  try {
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 401 /)
  } finally {
    clearInterval(timer)
  }
})

test.each([
  ['arrays', '['.repeat(200_000) + ']'.repeat(200_000)],
  ['objects', '{"a":'.repeat(65) + '1' + '}'.repeat(65)],
])('a body of %s nested deeper than 64 levels is a 400', async (_kind, body) => {
  const response = await post(body)
  expect([response.status, await response.json()]).toEqual([
    400,
    { error: 'BadRequest', detail: 'The body is nested deeper than 64 levels.' },
  ])
})

test('brackets in strings are not counted as nesting', async () => {
  expect((await post(JSON.stringify({ name: '[{'.repeat(100), quoted: '"\\["'.repeat(50) }))).status).toBe(401)
})

test('a read whose body has arrived is not ended while its reply takes longer than a slow body may', async () => {
  const answered = Promise.withResolvers<string>()
  await gateway.play(verification, verifiedAs(organizationCaller(randomUUID())))
  const calls = await gateway.play('orders.product.list', () => answered.promise)
  const socket = connect(gatewayPort, '127.0.0.1')
  sockets.push(socket)
  const credential = `Authorization: Bearer ${mintToken('qt_oat_')}`
  socket.write(`GET /v1/products/ HTTP/1.1\r\nHost: x\r\n${credential}\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}`)
  const reply = text(socket)
  await eventually(() => expect(calls).not.toHaveLength(0))
  expect(await text(await openUnfinished())).toMatch(/^HTTP\/1\.1 408 /)
  answered.resolve('{"items":[]}')
  expect(await reply).toMatch(/^HTTP\/1\.1 200 /)
})

import { randomUUID } from 'node:crypto'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { startGateway, type GatewayUnderTest } from './start-gateway.ts'

process.env['RATE_LIMIT_PER_SECOND'] = '20'

const subject = 'orders.provider-event.receive'
const received = JSON.stringify({ received: true })
const rejected = { status: 400, name: 'InvalidSignature', body: JSON.stringify({ error: 'InvalidSignature', detail: 'No.' }) }

function post(gateway: GatewayUnderTest, body: Uint8Array, { id = randomUUID() as string, headers = {} } = {}) {
  return gateway.fetch(`/v1/payment-accounts/${id}/events`, { method: 'POST', headers, body: new Uint8Array(body) })
}

test.each([
  ['spaces, escapes and UTF-8', Buffer.from('{\n  "a" : "Zo\\u00eb ë \\/ 💶",\r\n "b":1.0 }')],
  ['200 kB', Buffer.alloc(200_000, '{"x":"ü"}')],
  ['no JSON', Buffer.from('not json')],
  ['bytes that are not UTF-8', Buffer.from([0xff, 0x00, 0xfe])],
  ['nothing', Buffer.alloc(0)],
])('passes on %s byte for byte, with the named header only [payments 37]', async (_, bytes) => {
  await using gateway = await startGateway()
  const calls = await gateway.play(subject, received)
  const id = randomUUID()
  const headers = { 'content-type': 'application/json', 'stripe-signature': 't=1,v1=aa', 'x-other': 'no', 'idempotency-key': 'a' }
  const response = await post(gateway, bytes, { id, headers })
  expect([response.status, await response.json()]).toEqual([200, { received: true }])
  expect(calls[0]?.body).toEqual({ id, headers: { 'stripe-signature': 't=1,v1=aa' }, body: bytes.toString('base64') })
})

test('takes any content type, and none', async () => {
  await using gateway = await startGateway()
  const calls = await gateway.play(subject, received)
  for (const headers of [{ 'content-type': 'text/plain' }, { 'content-type': 'application/json; charset=utf-8' }, {}]) {
    expect((await post(gateway, Buffer.from('{}'), { headers: headers as Record<string, string> })).status).toBe(200)
  }
  expect(calls.map(({ body }) => (body as { body: string }).body)).toEqual(Array.from({ length: 3 }, () => 'e30='))
})

test('rejects 300 kB with 413 and forwards nothing [payments 37]', async () => {
  await using gateway = await startGateway()
  const calls = await gateway.play(subject, received)
  const response = await post(gateway, Buffer.alloc(300_000, 'a'))
  expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([413, 'ContentTooLarge'])
  expect(calls).toEqual([])
})

test('counts events by account, not by address', async () => {
  await using gateway = await startGateway()
  await gateway.play(subject, received)
  const id = randomUUID()
  const sendMany = () => Promise.all(Array.from({ length: 320 }, async () => (await post(gateway, Buffer.from('{}'), { id })).status))
  expect((await sendMany()).filter((status) => status === 200).length).toBeGreaterThanOrEqual(300)
  // On a busy machine they take longer than the window of the limit.
  await eventually(async () => expect(await sendMany()).toContain(429))
  expect((await post(gateway, Buffer.from('{}'))).status).toBe(200)
})

test('counts rejected events by address, however many accounts they name', async () => {
  await using gateway = await startGateway()
  await gateway.play(subject, rejected)
  const statuses: number[] = []
  for (let sent = 0; sent < 60; sent += 1) statuses.push((await post(gateway, Buffer.from('{}'))).status)
  expect(statuses.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 400))
  expect(statuses).toContain(429)
})

test('serves other methods of the path with 405', async () => {
  await using gateway = await startGateway()
  const response = await gateway.fetch(`/v1/payment-accounts/${randomUUID()}/events`)
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
})

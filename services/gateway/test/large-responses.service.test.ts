import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { mintToken } from '@quittance/runtime/credential'
import { organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { gatewayPort, type GatewayUnderTest, startGateway, verification, verifiedAs } from './start-gateway.ts'

process.env['RATE_LIMIT_PER_SECOND'] = '100'
process.env['TRUSTED_PROXIES'] = '127.0.0.1'

const token = mintToken('qt_oat_')
const mebibyte = 1_024 * 1_024
let gateway: GatewayUnderTest
const large = JSON.stringify({ items: ['x'.repeat(7 * mebibyte)] })
let asked = 0
beforeAll(async () => {
  gateway = await startGateway()
  await gateway.play(verification, verifiedAs(organizationCaller(randomUUID())))
  await gateway.play('orders.product.list', () => {
    asked += 1
    return large
  })
})
afterAll(() => gateway[Symbol.asyncDispose]())

const from = (address: string) => ({ headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': address } })

/** Requests a large page, and reads its status only. */
async function requestUnread(address: string): Promise<{ socket: Socket; head: string; status: number }> {
  const socket = connect(gatewayPort, '127.0.0.1')
  socket.write(
    `GET /v1/products/ HTTP/1.1\r\nhost: gateway\r\nauthorization: Bearer ${token}\r\nx-forwarded-for: ${address}\r\nconnection: close\r\n\r\n`,
  )
  await once(socket, 'readable')
  const head = String(socket.read())
  return { socket, head, status: Number(head.slice(9, 12)) }
}

test('an address that reads more than 16 MB a second of large pages waits, without work for the owner, and others do not', async () => {
  const address = '203.0.113.1'
  const pages = await Promise.all(Array.from({ length: 6 }, () => gateway.fetch('/v1/products/', from(address))))
  expect(await Promise.all(pages.map(async (page) => [page.status, (await page.arrayBuffer()).byteLength > 7 * mebibyte]))).toEqual(
    Array.from({ length: 6 }, () => [200, true]),
  )
  const before = asked
  const rejected = await gateway.fetch('/v1/products/', from(address))
  expect([rejected.status, await rejected.json(), asked]).toEqual([
    429,
    { error: 'TooManyRequests', detail: 'More than 16000 KiB of large responses within a second for one address.' },
    before,
  ])
  expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await gateway.fetch('/v1/products/', from('203.0.113.2'))).status).toBe(200)
  await eventually(async () => expect((await gateway.fetch('/v1/products/', from(address))).status).toBe(200))
})

test('reads whose client leaves before the response do not count as unread', async () => {
  const address = '203.0.113.4'
  const reply = Promise.withResolvers<string>()
  const calls = await gateway.play('orders.customer.list', () => reply.promise)
  const controllers = Array.from({ length: 10 }, () => new AbortController())
  const aborted = controllers.map(({ signal }) => gateway.fetch('/v1/customers/', { ...from(address), signal }).catch(() => null))
  await eventually(async () => expect(calls).toHaveLength(10))
  for (const controller of controllers) controller.abort()
  await Promise.all(aborted)
  reply.resolve(large)
  await eventually(async () => {
    const { socket, status } = await requestUnread(address)
    socket.destroy()
    expect(status).toBe(200)
  })
})

test('responses that an address does not read take 64 MiB at most, until their connections end', async () => {
  const address = '203.0.113.3'
  const opened = await Promise.all(Array.from({ length: 20 }, () => requestUnread(address)))
  expect(opened.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual(opened.map((_, index) => (index < 9 ? 200 : 429)))
  const rejected = opened.find(({ status }) => status === 429)
  expect(rejected?.head).toMatch(/cache-control: no-store[^]*"error":"TooManyRequests"/)
  expect(rejected?.head).not.toMatch(/etag/i)
  for (const { socket } of opened) socket.destroy()
  await eventually(async () => {
    const { socket, status } = await requestUnread(address)
    socket.destroy()
    expect(status).toBe(200)
  })
})

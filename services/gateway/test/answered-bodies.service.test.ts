import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { eventually } from '@quittance/testing/eventually'
import { request } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { gatewayPort, startGateway, type GatewayUnderTest } from './start-gateway.ts'

process.env['RATE_LIMIT_PER_SECOND'] = '20'
process.env['TRUSTED_PROXIES'] = '127.0.0.1'

let gateway: GatewayUnderTest
let client = 0
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

const mebibyte = 1_024 * 1_024
const chunk = Buffer.from(`10000\r\n${'x'.repeat(65_536)}\r\n`)

interface Upload {
  method?: string
  path?: string
  type?: string
  /** Lines after the others. */
  lines?: readonly string[]
}

/** Opens a connection and sends the head of a request with a body in chunks. */
async function open(address: string, { method = 'POST', path = '/v1/products/', type = 'application/json', lines = [] }: Upload) {
  const socket = connect(gatewayPort, '127.0.0.1')
  await once(socket, 'connect')
  const head = [`${method} ${path} HTTP/1.1`, 'host: gateway', `x-forwarded-for: ${address}`, `content-type: ${type}`, ...lines]
  socket.write(`${[...head, 'transfer-encoding: chunked'].join('\r\n')}\r\n\r\n`)
  return socket
}

const newAddress = () => `203.0.113.${(client += 1)}`

/** Sends requests of an address until its limit is used up; repeat with `eventually`, because a window lasts a second. */
async function useUpLimit(address: string): Promise<void> {
  const headers = { 'x-forwarded-for': address }
  const responses = await Promise.all(Array.from({ length: 25 }, () => gateway.fetch('/v1/changes', { headers })))
  await Promise.all(responses.map((response) => response.arrayBuffer()))
}

/** Writes chunks until the connection ends, or that many were sent. */
async function sendChunks(socket: Socket, limit: number): Promise<number> {
  socket.on('error', () => {})
  const closed = new Promise((resolve) => socket.once('close', resolve))
  let sent = 0
  while (!socket.destroyed && sent < limit) {
    await Promise.race([closed, new Promise((resolve) => socket.write(chunk, resolve))])
    await nextTurn()
    sent += chunk.length
  }
  return sent
}

const early: [name: string, status: number, upload: Upload][] = [
  ['404', 404, { path: '/nowhere', type: 'text/plain' }],
  ['413', 413, {}],
  ['413 of a path that is proxied', 413, { path: '/checkout/x', type: 'text/plain' }],
  ['415', 415, { type: 'text/plain' }],
  ['401 for a read with a body', 401, { method: 'GET' }],
  ['response of a probe', 200, { method: 'GET', path: '/livez' }],
  ['response of a request with an unknown expectation', 404, { path: '/nowhere', type: 'text/plain', lines: ['expect: nothing'] }],
]

test.each(early)('the %s is read by a client that sends 2 MiB before it reads', async (...[, status, upload]) => {
  const socket = await open(newAddress(), { ...upload, lines: [...(upload.lines ?? []), 'connection: close'] })
  const response = text(socket)
  expect(await sendChunks(socket, 2 * mebibyte)).toBeGreaterThanOrEqual(2 * mebibyte)
  socket.write('0\r\n\r\n')
  expect(await response).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
})

test.each(early)('of an endless body, no more than 16 MiB are read after the %s', async (...[, status, upload]) => {
  const socket = await open(newAddress(), upload)
  const response = once(socket, 'data') as Promise<[Buffer]>
  // The buffers of the kernel take up to 36 MiB more.
  expect(await sendChunks(socket, 128 * mebibyte)).toBeLessThan(80 * mebibyte)
  expect(String((await response)[0])).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
})

test('a client reads the 429 before it has sent its body, and after it', async () => {
  const address = newAddress()
  await eventually(async () => {
    await useUpLimit(address)
    const body = Buffer.alloc(2 * mebibyte, ' ')
    const headers = { 'x-forwarded-for': address, 'content-type': 'application/json' }
    const whole = await request(`http://127.0.0.1:${gatewayPort}/v1/products/`, { method: 'POST', headers, body })
    expect([whole.statusCode, await whole.body.json()]).toEqual([429, expect.objectContaining({ error: 'TooManyRequests' })])
  })
  await eventually(async () => {
    await useUpLimit(address)
    const socket = await open(address, { lines: ['connection: close'] })
    const response = text(socket)
    await sendChunks(socket, 2 * mebibyte)
    socket.write('0\r\n\r\n')
    expect(await response).toMatch(/^HTTP\/1\.1 429 [^]*"TooManyRequests"/)
  })
})

test('a connection whose body arrives completely after its response takes the next request', async () => {
  const socket = await open(newAddress(), { type: 'text/plain' })
  expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 415 /)
  await sendChunks(socket, mebibyte)
  socket.write('0\r\n\r\nGET /livez HTTP/1.1\r\nhost: gateway\r\nconnection: close\r\n\r\n')
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /)
})

test('all endless bodies of one address together are not read beyond 16 MiB in a second', async () => {
  const address = newAddress()
  const sockets = await Promise.all(Array.from({ length: 40 }, () => open(address, { path: '/nowhere', type: 'text/plain' })))
  const responses = sockets.map((socket) => once(socket, 'data') as Promise<[Buffer]>)
  const sent = await Promise.all(sockets.map((socket) => sendChunks(socket, 32 * mebibyte)))
  expect(sent.reduce((sum, each) => sum + each, 0)).toBeLessThan(600 * mebibyte)
  for (const [data] of await Promise.all(responses)) expect(String(data)).toMatch(/^HTTP\/1\.1 (404|429) /)
})

test('bodies that were rejected and do not arrive end their connections within seconds', async () => {
  const address = newAddress()
  const started = performance.now()
  const sockets = await Promise.all(Array.from({ length: 40 }, () => open(address, {})))
  const timer = setInterval(() => sockets.forEach((socket) => socket.writable && socket.write('1\r\nx\r\n')), 1_000)
  for (const socket of sockets) socket.on('error', () => {})
  try {
    const replies = await Promise.all(sockets.map((socket) => text(socket).catch(() => '')))
    expect(replies.filter((reply) => reply.startsWith('HTTP/1.1 429 '))).not.toHaveLength(0)
    expect(performance.now() - started).toBeLessThan(25_000)
  } finally {
    clearInterval(timer)
  }
})

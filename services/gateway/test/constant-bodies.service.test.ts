import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { gatewayPort, startGateway, type GatewayUnderTest } from './start-gateway.ts'

let gateway: GatewayUnderTest
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

const mebibyte = 1_024 * 1_024

/** Requests a path without compression, and reads the beginning of the response only. */
async function requestUnread(path: string) {
  const socket = connect(gatewayPort, '127.0.0.1')
  socket.write(`GET ${path} HTTP/1.1\r\nhost: gateway\r\n\r\n`)
  await once(socket, 'readable')
  return socket
}

test('a hundred responses of the API reference that clients do not read share one body', async () => {
  const path = '/docs/reference/js/scalar.js'
  const first = await requestUnread(path)
  const { arrayBuffers: before } = process.memoryUsage()
  const sockets = await Promise.all(Array.from({ length: 100 }, () => requestUnread(path)))
  const { arrayBuffers: after } = process.memoryUsage()
  for (const socket of [first, ...sockets]) socket.destroy()
  expect(after - before).toBeLessThan(64 * mebibyte)
})

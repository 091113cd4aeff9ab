import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { gatewayPort, startGateway, type GatewayUnderTest } from './start-gateway.ts'

let gateway: GatewayUnderTest
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

const piece = Buffer.alloc(1_024, 'x')
const chunk = Buffer.concat([Buffer.from('400\r\n'), piece, Buffer.from('\r\n')])
const chunked = 'transfer-encoding: chunked'
const length = (pieces: number) => `content-length: ${pieces * piece.length}`
const api = { path: '/v1/products/', type: 'application/json' }
const oauth = { path: '/oauth2/token', type: 'application/x-www-form-urlencoded' }

interface Upload {
  path: string
  type: string
  /** The header that states where the body ends. */
  framing: string
}

/** Opens a connection and sends the headers of a request. */
function open({ path, type, framing }: Upload) {
  const socket = connect(gatewayPort, '127.0.0.1')
  socket.write(`POST ${path} HTTP/1.1\r\nhost: gateway\r\ncontent-type: ${type}\r\n${framing}\r\n\r\n`)
  return socket
}

describe('a client that sends its whole body before it reads', () => {
  test.each([
    ['600 kB', { ...api, framing: length(600) }, 600],
    ['600 kB in chunks', { ...api, framing: chunked }, 600],
    ['100 kB for auth', { ...oauth, framing: length(100) }, 100],
    ['100 kB in chunks for auth', { ...oauth, framing: chunked }, 100],
  ])('reads the 413 for %s', async (...[, upload, pieces]) => {
    const socket = open(upload)
    const response = text(socket)
    for (let sent = 0; sent < pieces && !socket.errored; sent += 1) {
      await new Promise<void>((resolve) => void socket.write(upload.framing === chunked ? chunk : piece, () => resolve()))
      await nextTurn()
    }
    if (upload.framing === chunked) socket.write('0\r\n\r\n')
    expect(await response).toMatch(/^HTTP\/1\.1 413 [^]*"(ContentTooLarge|invalid_request)"/)
  })
})

test('rejects a body of more than 16 MiB before it arrives', async () => {
  expect(await text(open({ ...api, framing: length(16 * 1_024 + 1) }))).toMatch(/^HTTP\/1\.1 413 [^]*"ContentTooLarge"/)
})

test('stops reading chunks after 16 MiB', async () => {
  const socket = open({ ...api, framing: chunked })
  let sent = 0
  socket.on('error', () => {})
  const closed = new Promise((resolve) => socket.once('close', resolve))
  while (!socket.destroyed && sent < 64 * 1_024) {
    await Promise.race([closed, new Promise((resolve) => socket.write(chunk, resolve))])
    sent += 1
  }
  await closed
  expect(sent).toBeGreaterThan(16 * 1_024)
  expect(sent).toBeLessThan(64 * 1_024)
})

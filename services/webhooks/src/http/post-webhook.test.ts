import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { postWebhook, type AttemptOutcome } from './post-webhook.ts'

beforeAll(() => {
  vi.stubEnv('SECRETS_KEY', Buffer.alloc(32, 7).toString('base64'))
  vi.stubEnv('WEBHOOK_ALLOWED_CIDRS', '127.0.0.0/8')
  vi.stubEnv('DELIVERY_TIMEOUT_MS', '400')
})
afterAll(() => void vi.unstubAllEnvs())

const event = { secrets: ['hunter2'], id: '11111111-1111-4111-8111-111111111111', timestamp: 1750413600, body: '{"data":"ż"}' }

/** Sends one POST to an endpoint with this behavior; returns the outcome and the requests that the endpoint received. */
async function attemptAt(behave: (socket: Socket, port: number) => void): Promise<AttemptOutcome & { requests: string[] }> {
  const requests: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    socket.once('data', (bytes) => {
      requests.push(bytes.toString())
      behave(socket, (server.address() as AddressInfo).port)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const outcome = await postWebhook({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?a=b`, ...event })
  for (const socket of sockets) socket.destroy()
  await new Promise((closed) => server.close(closed))
  return { ...outcome, requests }
}

const answer = (text: string) => attemptAt((socket) => socket.end(text.replaceAll('\n', '\r\n')))

test('treats any 2xx as success and sends body, signature and user agent', async () => {
  const { requests, durationMs, ...outcome } = await answer('HTTP/1.1 202 Accepted\nContent-Length: 2\n\nok')
  expect(outcome).toEqual({ status: 202, reason: null, excerpt: 'ok', retryAfter: null })
  expect(durationMs).toBeGreaterThanOrEqual(0)
  expect(requests[0]).toMatch(/^POST \/hook\?a=b HTTP\/1\.1\r\n/)
  expect(requests[0]).toContain('content-type: application/json')
  expect(requests[0]).toContain('user-agent: Quittance-Webhooks/1')
  expect(requests[0]).toContain(`webhook-id: ${event.id}`)
  expect(requests[0]).toMatch(/webhook-signature: v1,\S+\r\n/)
  expect(requests[0]?.endsWith(`\r\n\r\n${event.body}`)).toBe(true)
})

test.each([301, 302, 307, 308])('treats a redirect (%i) as a failure and does not follow it', async (status) => {
  const outcome = await attemptAt((socket, port) =>
    socket.end(`HTTP/1.1 ${status} Elsewhere\r\nLocation: http://127.0.0.1:${port}/\r\nContent-Length: 0\r\n\r\n`),
  )
  expect(outcome).toMatchObject({ status, reason: 'http_status' })
  expect(outcome.requests).toHaveLength(1)
})

test.each(['000', '099', '001', '0', '1000', '20', 'abc', '-20'])('treats the status code %s as an invalid response', async (status) => {
  const outcome = await answer(`HTTP/1.1 ${status} Impossible\nContent-Length: 0\n\n`)
  expect(outcome).toMatchObject({ status: null, reason: 'invalid_response' })
})

test('treats a status code above 599 as a failure', async () => {
  expect(await answer('HTTP/1.1 999 Odd\nContent-Length: 0\n\n')).toMatchObject({ status: 999, reason: 'http_status' })
})

test('reads a few informational responses before the final one', async () => {
  const outcome = await answer(`${'HTTP/1.1 103 Early Hints\nLink: </a>\n\n'.repeat(8)}HTTP/1.1 200 OK\nContent-Length: 0\n\n`)
  expect(outcome).toMatchObject({ status: 200, reason: null })
})

test('ends an endless series of informational responses', async () => {
  let sent = 0
  const outcome = await attemptAt((socket) => {
    const send = () => {
      while (!socket.destroyed && socket.write('HTTP/1.1 102 Processing\r\n\r\n'.repeat(100))) sent += 100
    }
    socket.on('drain', send)
    send()
  })
  expect(outcome).toMatchObject({ status: null, reason: 'invalid_response' })
  expect(sent).toBeGreaterThan(8)
})

test('returns status, response text and Retry-After of a failure', async () => {
  const outcome = await answer('HTTP/1.1 503 Busy\nRetry-After: 120\nContent-Length: 5\n\nlater')
  expect(outcome).toMatchObject({ status: 503, reason: 'http_status', excerpt: 'later', retryAfter: '120' })
  expect(await answer('HTTP/1.1 410 Gone\nContent-Length: 0\n\n')).toMatchObject({ status: 410, reason: 'gone' })
})

test('times out on an endpoint that never responds or that sends its response slowly', async () => {
  const silent = await attemptAt(() => {})
  expect(silent).toMatchObject({ status: null, reason: 'timeout' })
  expect(silent.durationMs).toBeLessThan(5_000)
  const dripping = await attemptAt((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n')
    const drip = setInterval(() => socket.write('x'), 20)
    socket.on('close', () => clearInterval(drip))
  })
  expect(dripping).toMatchObject({ status: 200, reason: 'timeout' })
  expect(dripping.durationMs).toBeLessThan(5_000)
})

test('returns a reason for an empty reply, a reset, garbage, HTTP/0.9 and endless headers', async () => {
  expect(await attemptAt((socket) => socket.end())).toMatchObject({ status: null, reason: 'connection_reset' })
  expect(await attemptAt((socket) => socket.resetAndDestroy())).toMatchObject({ status: null, reason: 'connection_reset' })
  const cut = await attemptAt((socket) =>
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', () => setTimeout(() => socket.resetAndDestroy(), 20)),
  )
  expect(cut).toMatchObject({ status: 200, reason: 'connection_reset' })
  expect(await answer('hello there\n\n')).toMatchObject({ status: null, reason: 'invalid_response' })
  expect(await answer('<html>old</html>')).toMatchObject({ status: null, reason: 'invalid_response' })
  expect(await answer(`HTTP/1.1 200 OK\nX: ${'x'.repeat(40_000)}\n\n`)).toMatchObject({ status: null, reason: 'invalid_response' })
})

test('reads little of a huge response and decides by its status', async () => {
  let written = 0
  const outcome = await attemptAt((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 300000000\r\n\r\n')
    const block = Buffer.alloc(65_536, 'x')
    const push = () => {
      while (!socket.destroyed && socket.write(block)) written += block.length
    }
    socket.on('drain', push)
    push()
  })
  expect(outcome).toMatchObject({ status: 200, reason: null })
  expect(outcome.excerpt).toHaveLength(8192)
  expect(written).toBeLessThan(30_000_000)
})

test('treats a blocked address as a failure without connecting', async () => {
  expect(await postWebhook({ url: 'http://[::1]:9/', ...event })).toMatchObject({ status: null, reason: 'destination_blocked' })
  expect(await postWebhook({ url: 'http://169.254.169.254/latest', ...event })).toMatchObject({
    status: null,
    reason: 'destination_blocked',
  })
})

import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { mintToken } from '@quittance/runtime/credential'
import { organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { request } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bearer, gatewayPort, type GatewayUnderTest, startGateway, verification, verifiedAs } from './start-gateway.ts'

process.env['RATE_LIMIT_PER_SECOND'] = '10000'

const token = mintToken('qt_oat_')
const long = JSON.stringify({ items: Array.from({ length: 100 }, (_, index) => ({ index, name: 'Almanac' })) })
const refusal = '{"error":"ResourceNotFound","detail":"Not found"}'
let gateway: GatewayUnderTest

beforeAll(async () => {
  gateway = await startGateway()
  await gateway.play(verification, verifiedAs(organizationCaller(randomUUID())))
  await gateway.play('orders.order.list', long)
  await gateway.play('orders.product.list', '{"items":[]}')
  await gateway.play('orders.order.get', { status: 404, name: 'ResourceNotFound', body: refusal })
  await gateway.play('orders.product.create', '{}')
})
afterAll(() => gateway[Symbol.asyncDispose]())

const get = (path: string, headers: Record<string, string> = {}) => gateway.fetch(path, { headers: { ...bearer(token), ...headers } })
/** Sends a request without the client's default Accept-Encoding. */
const raw = (headers: Record<string, string> = {}) =>
  request(`http://127.0.0.1:${gatewayPort}/v1/orders/`, { headers: { ...bearer(token), ...headers } })

test.each([
  ['br', brotliDecompressSync],
  ['gzip', gunzipSync],
] as const)('compresses a long response with %s once if the client accepts it', async (encoding, decompress) => {
  const { headers, body } = await raw({ 'accept-encoding': encoding })
  expect(headers['content-encoding']).toBe(encoding)
  expect(String(headers['vary'])).toContain('Accept-Encoding')
  const bytes = Buffer.from(await body.arrayBuffer())
  expect(bytes.length).toBeLessThan(long.length / 3)
  expect(decompress(bytes).toString()).toBe(long)
})

test('does not compress if not requested or if it would save nothing', async () => {
  const plain = await raw()
  expect(plain.headers['content-encoding']).toBeUndefined()
  expect(await plain.body.text()).toBe(long)
  expect((await get('/v1/products/', { 'accept-encoding': 'br' })).headers.get('content-encoding')).toBeNull()
})

test('returns 304 if the client has the response, in any encoding', async () => {
  const first = await raw({ 'accept-encoding': 'br' })
  await first.body.dump()
  const tag = String(first.headers['etag'])
  expect(first.headers['cache-control']).toBe('private, no-cache')
  const again = await get('/v1/orders/', { 'if-none-match': tag })
  expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', tag])
  expect((await get('/v1/orders/', { 'if-none-match': '"another"' })).status).toBe(200)
  expect((await get(`/v1/orders/${randomUUID()}`, { 'if-none-match': '*' })).status).toBe(404)
})

test('answers HEAD like GET without the body', async () => {
  const head = await gateway.fetch('/v1/orders/', { method: 'HEAD', headers: bearer(token) })
  expect([head.status, await head.text()]).toEqual([200, ''])
  expect(head.headers.get('etag')).toBe((await get('/v1/orders/')).headers.get('etag'))
})

test.each(['/v1/orders/', '/v1/orders'])('OPTIONS %s lists the methods and lets any page send a credential', async (path) => {
  const plain = await gateway.fetch(path, { method: 'OPTIONS' })
  expect([plain.status, plain.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS'])
  const asking = { origin: 'https://shop.test', 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization' }
  const preflight = await gateway.fetch(path, { method: 'OPTIONS', headers: asking })
  expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
  expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, HEAD, OPTIONS')
  expect(preflight.headers.get('access-control-allow-headers')).toContain('Authorization')
  expect(preflight.headers.get('access-control-allow-credentials')).toBeNull()
})

test('lets pages read responses, errors and the headers that explain them', async () => {
  for (const path of ['/v1/orders/', '/v1/nothing']) {
    const answer = await get(path, { origin: 'https://shop.test' })
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('access-control-expose-headers')).toContain('Retry-After')
  }
})

test('sends nosniff, a strict content security policy and HSTS', async () => {
  for (const path of ['/v1/orders/', '/v1/nothing', '/openapi.json']) {
    const { headers } = await get(path)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(headers.get('strict-transport-security')).toMatch(/^max-age=\d{8}/)
  }
})

test.each([
  ['/v1/nothing?token=secret', 404, 'ResourceNotFound', 'There is no operation GET /v1/nothing.'],
  [`/v1/orders/${randomUUID()}`, 404, 'ResourceNotFound', 'Not found'],
])('sends the error of %s as problem details if the client requests them', async (...[path, status, error, detail]) => {
  const response = await get(path, { accept: 'application/problem+json, application/json;q=0.9' })
  expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/)
  expect(await response.json()).toEqual({ type: 'about:blank', title: 'Not Found', status, detail, error })
  const usual = await get(path)
  expect(usual.headers.get('content-type')).toMatch(/^application\/json/)
  expect(await usual.json()).toEqual({ error, detail })
})

test('lists single fields in problem details beside a sentence', async () => {
  const headers = { ...bearer(token), accept: 'application/problem+json', 'content-type': 'application/json' }
  const response = await gateway.fetch('/v1/products/', { method: 'POST', headers, body: '{"name":' })
  expect(await response.json()).toMatchObject({
    type: 'about:blank',
    status: 422,
    detail: 'body: The body is not valid JSON.',
    errors: [{ loc: ['body'], type: 'json_invalid' }],
  })
})

test('uses the address of the connection unless a trusted proxy sets it', async () => {
  const remaining = async (ip: string) =>
    /r=(\d+)/.exec((await get('/v1/changes', { 'x-forwarded-for': ip })).headers.get('ratelimit') ?? '')?.[1]
  let forged = 0
  // Both in one window of the rate limit, which lasts one second.
  await eventually(async () => {
    const first = Number(await remaining(`203.0.113.${(forged += 1)}`))
    expect(Number(await remaining(`203.0.113.${(forged += 1)}`))).toBeLessThan(first)
  })
})

/** Returns the response to bytes that no client library would send. */
function send(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(gatewayPort, '127.0.0.1', () => socket.write(text))
    let answer = ''
    socket.on('data', (bytes) => (answer += bytes.toString()))
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
    socket.setTimeout(5_000, () => socket.destroy())
  })
}

const post = 'POST /v1/products/ HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'

test.each([
  ['length and encoding', `${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ['encoding and length', `${post}Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n{}`],
  ['two lengths', `${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
  ['an encoding that is not the last', `${post}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`],
  ['a space before the colon', `${post}Content-Length : 2\r\n\r\n{}`],
  ['a header over two lines', `${post}X-A: 1\r\n 2\r\nContent-Length: 2\r\n\r\n{}`],
  ['bare line ends', 'GET /v1/changes HTTP/1.1\nHost: x\n\n'],
])('rejects a request with an ambiguous end and closes its connection: %s', async (_, text) => {
  const answer = await send(`${text}GET /v1/changes HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  expect(answer.match(/^HTTP\/1\.1 /gm)).toHaveLength(1)
  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  expect(answer).toContain('{"error":"BadRequest","detail":"')
})

test.each([
  ['is not HTTP', 'x\r\n\r\n', 400],
  ['has headers that are too long', `GET / HTTP/1.1\r\nHost: x\r\nLong: ${'x'.repeat(40_000)}\r\n\r\n`, 431],
])('the connection of a request that %s ends although the client keeps it and sends more', async (_, bytes, status) => {
  const socket = connect({ port: gatewayPort, host: '127.0.0.1', allowHalfOpen: true })
  // The server resets it once its side is closed.
  socket.on('error', () => {})
  let answer = ''
  socket.on('data', (part) => (answer += part.toString()))
  socket.write(bytes)
  const timer = setInterval(() => socket.write('x'), 100)
  await new Promise<void>((resolve) => void socket.once('close', () => resolve()))
  clearInterval(timer)
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
})

test('a malformed URL counts for the limit of its address and has the headers of every reply', async () => {
  const { statusCode, headers, body } = await request(`http://127.0.0.1:${gatewayPort}/%zz?page=1`)
  expect([statusCode, await body.json()]).toEqual([400, { error: 'BadRequest', detail: 'The URL is malformed.' }])
  expect(headers).toMatchObject({ ratelimit: expect.stringMatching(/^"ip";r=/), 'x-content-type-options': 'nosniff' })
  expect(headers['x-request-id']).toMatch(/^[\w-]{36}$/)
  for (const target of ['http://x%23', 'http://x:99999/'])
    expect(await send(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400 [\s\S]*ratelimit: /)
  expect(await send('GET http://x/v1/changes HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /)
  const long = await get(`/v1/products/${'a'.repeat(1_000)}`)
  expect([long.status, long.headers.has('ratelimit')]).toEqual([503, true])
})

test('rejects a request with two Host headers', async () => {
  const answer = await send('GET /v1/changes HTTP/1.1\r\nHost: a\r\nhost: b\r\nConnection: close\r\n\r\n')
  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  expect(answer).toContain('The request has more than one Host header.')
})

test('finishes requests in progress at a stop and does not wait for idle connections', async () => {
  const held = Promise.withResolvers<string>()
  const calls = await gateway.play('orders.customer.list', () => held.promise)
  const last = gateway.fetch('/v1/customers/', { headers: bearer(token) })
  await expect.poll(() => calls.length).toBe(1)
  const restarted = gateway.service.restart()
  await eventually(() => expect(send('GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).rejects.toThrow('ECONNREFUSED'))
  held.resolve('{}')
  expect((await last).status).toBe(200)
  await restarted
})

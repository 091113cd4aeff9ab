import { gzipSync } from 'node:zlib'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { authPorts, authUrl, baseUrl, gatewayPort, startGateway } from './start-gateway.ts'
import { startFakeUpstream } from './fake-upstream.ts'

const form = { 'content-type': 'application/x-www-form-urlencoded' }

async function startWithAuth() {
  const gateway = await startGateway()
  const auth = await startFakeUpstream(authPorts[0])
  return {
    gateway,
    auth,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await auth[Symbol.asyncDispose]()
    },
  }
}

const protocol = ['token', 'revoke', 'introspect', 'par'].map((name) => `/v1/oauth2/${name}`)
const documents = ['openid-configuration', 'oauth-authorization-server', 'jwks.json'].map((name) => `/.well-known/${name}`)

test.each([
  ...['GET', 'HEAD', 'POST'].flatMap((method) =>
    ['/oauth2/authorize?client_id=x', '/oauth2/interaction/uid/consent'].map((url) => [method, url]),
  ),
  ...['POST', 'OPTIONS'].flatMap((method) => protocol.map((url) => [method, url])),
  ...['GET', 'HEAD', 'POST', 'OPTIONS'].map((method) => [method, '/v1/oauth2/userinfo']),
  ...['GET', 'HEAD', 'OPTIONS'].flatMap((method) => documents.map((url) => [method, url])),
] as [string, string][])('forwards %s %s to auth unchanged', async (method, url) => {
  await using system = await startWithAuth()
  expect((await system.gateway.fetch(url, { method })).status).toBe(200)
  expect(system.auth.received).toMatchObject([{ method, url }])
})

test.each(['/oauth2/authorize?client_id=x', '/oauth2/account', '/.well-known/openid-configuration'])(
  'sends HSTS with the response of auth to %s, as with every other response',
  async (url) => {
    await using system = await startWithAuth()
    const { headers } = await system.gateway.fetch(url)
    expect(headers.get('strict-transport-security')).toMatch(/^max-age=\d{8}/)
  },
)

test.each([
  ['PUT', '/oauth2/authorize', 'GET, HEAD, POST'],
  ['GET', '/v1/oauth2/token', 'POST, OPTIONS'],
  ['HEAD', '/v1/oauth2/token', 'POST, OPTIONS'],
  ['DELETE', '/v1/oauth2/userinfo', 'GET, HEAD, POST, OPTIONS'],
  ['POST', '/.well-known/jwks.json', 'GET, HEAD, OPTIONS'],
])('returns 405 for %s %s, allowing %s', async (method, url, allow) => {
  await using system = await startWithAuth()
  const response = await system.gateway.fetch(url, { method })
  expect(response.status).toBe(405)
  expect(response.headers.get('allow')).toBe(allow)
  expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  expect(system.auth.received).toEqual([])
})

test('returns the headers of auth for HEAD, without a body', async () => {
  await using system = await startWithAuth()
  system.auth.answer((_, response) => response.writeHead(200, { 'content-type': 'application/json', 'content-length': '2' }).end('{}'))
  const response = await system.gateway.fetch('/.well-known/openid-configuration', { method: 'HEAD' })
  expect([response.headers.get('content-length'), await response.text()]).toEqual(['2', ''])
})

test.each([
  '/v1/oauth2/token/',
  '/v1/oauth2/userinfo/',
  '/.well-known/jwks.json/',
  '/v1/oauth2/%74oken',
  '/V1/OAUTH2/TOKEN',
  '/v1/oauth2/unknown',
  '/%6fauth2/authorize',
  '/oauth2/../metrics',
  '/oauth2/%2e%2e/metrics',
  '/oauth2/x\\..\\..\\metrics',
  '/oauth2',
])('returns 404 for %s without a request to auth', async (path) => {
  await using system = await startWithAuth()
  expect(await rawRequest(`POST ${path} HTTP/1.1`)).toMatch(/^HTTP\/1.1 404 /)
  expect(await rawRequest(`GET ${path}?a=b HTTP/1.1`)).toMatch(/^HTTP\/1.1 404 /)
  expect(system.auth.received).toEqual([])
})

test('sends auth the public address and the client address, which clients cannot forge', async () => {
  await using system = await startWithAuth()
  const forged = {
    forwarded: 'host=evil.test',
    'x-forwarded-host': 'evil.test',
    'x-forwarded-proto': 'gopher',
    'x-forwarded-for': '6.6.6.6',
    'x-forwarded-port': '6',
    'x-forwarded-prefix': '/evil',
    'x-real-ip': '6.6.6.6',
    'x-request-id': 'mine',
  }
  await system.gateway.fetch('/oauth2/authorize', { headers: forged })
  await system.gateway.fetch('/v1/oauth2/token', { method: 'POST', headers: forged })
  await system.gateway.fetch('/.well-known/openid-configuration', { headers: forged })
  const forwarded = { 'x-forwarded-proto': ['https'], 'x-forwarded-for': ['127.0.0.1'], 'x-request-id': ['mine'] }
  expect(system.auth.received.map(({ headers }) => headers)).toMatchObject([
    { ...forwarded, 'x-forwarded-host': [new URL(authUrl).host] },
    { ...forwarded, 'x-forwarded-host': [new URL(baseUrl).host] },
    { ...forwarded, 'x-forwarded-host': [new URL(baseUrl).host] },
  ])
  const names = Object.keys(system.auth.received[0]?.headers ?? {})
  expect(names.filter((name) => /^(forwarded|x-real-ip|x-forwarded-(port|prefix))$/.test(name))).toEqual([])
})

test('forwards the rest of a request unchanged: bytes, cookies, credentials, proofs', async () => {
  await using system = await startWithAuth()
  const headers = {
    'content-type': 'text/plain; charset=odd',
    cookie: 'a=1; b=2',
    authorization: 'Basic abc',
    dpop: 'proof',
    accept: 'text/html',
    origin: 'https://app.test',
    'accept-language': 'de',
  }
  const body = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
  await system.gateway.fetch('/v1/oauth2/token?a=%20b&a=+c', { method: 'POST', headers, body })
  const [received] = system.auth.received
  expect(received?.url).toBe('/v1/oauth2/token?a=%20b&a=+c')
  expect(received?.headers).toMatchObject(Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])))
  expect(received?.body.equals(body)).toBe(true)
})

test('drops hop-by-hop headers and keeps repeated headers repeated', async () => {
  await using system = await startWithAuth()
  const fields = ['connection: close, x-mine', 'x-mine: 1', 'te: trailers', 'proxy-authorization: x', 'dpop: one', 'dpop: two']
  expect(await rawRequest('GET /v1/oauth2/userinfo HTTP/1.1', fields)).toMatch(/^HTTP\/1.1 200 /)
  const headers = system.auth.received[0]?.headers ?? {}
  expect(Object.keys(headers).filter((name) => ['x-mine', 'te', 'proxy-authorization'].includes(name))).toEqual([])
  expect(headers['dpop']).toEqual(['one', 'two'])
})

test('returns status, cookies, location, challenges and compressed bytes unchanged', async () => {
  await using system = await startWithAuth()
  const packed = gzipSync('{"odd": 1.0}')
  const fields = {
    location: 'https://app.test/cb?code=x#y',
    'set-cookie': ['a=1; Path=/', 'b=2; HttpOnly'],
    'www-authenticate': ['Basic realm="x"', 'DPoP algs="ES256"'],
    'dpop-nonce': 'nonce',
    'access-control-allow-origin': 'https://app.test',
    'content-security-policy': "default-src 'none'",
    'cache-control': 'no-store',
    etag: '"x"',
    'content-encoding': 'gzip',
    'content-type': 'application/json; charset=utf-8',
  }
  system.auth.answer((_, response) =>
    response.writeHead(303, { ...fields, 'keep-alive': 'timeout=9', 'x-request-id': 'theirs' }).end(packed),
  )
  const response = await system.gateway.fetch('/oauth2/authorize', { headers: { 'x-request-id': 'mine' } })
  expect(response.status).toBe(303)
  const { 'set-cookie': cookies, 'www-authenticate': challenges, ...single } = fields
  expect(Object.fromEntries(response.headers)).toMatchObject(single)
  expect(response.headers.getSetCookie()).toEqual(cookies)
  expect(response.headers.get('www-authenticate')).toBe(challenges.join(', '))
  expect(response.headers.get('x-request-id')).toBe('mine')
  expect(await response.text()).toBe('{"odd": 1.0}')
})

test.each([204, 304])('returns the status %i of a response without a body', async (status) => {
  await using system = await startWithAuth()
  system.auth.answer((_, response) => response.writeHead(status, { etag: '"x"', 'access-control-max-age': '60' }).end())
  const response = await system.gateway.fetch('/.well-known/jwks.json', { method: 'OPTIONS' })
  expect(response.status).toBe(status)
  expect(response.headers.get('access-control-max-age')).toBe('60')
})

test('returns 400 invalid_request for NUL in the URL without a request to auth', async () => {
  await using system = await startWithAuth()
  for (const path of ['/oauth2/authorize?client_id=a%00b', '/.well-known/jwks.json?%00', '/oauth2/a%00b']) {
    const response = await system.gateway.fetch(path)
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({ error: 'invalid_request', error_description: expect.any(String), detail: expect.any(String) })
  }
  expect(system.auth.received).toEqual([])
})

test('forwards a body of 64 KiB and returns 413 invalid_request for a larger one', async () => {
  await using system = await startWithAuth()
  const send = (length: number) => system.gateway.fetch('/v1/oauth2/token', { method: 'POST', headers: form, body: 'a'.repeat(length) })
  expect((await send(65_536)).status).toBe(200)
  const response = await send(65_537)
  expect(response.status).toBe(413)
  expect(await response.json()).toEqual({ error: 'invalid_request', error_description: expect.any(String), detail: expect.any(String) })
  expect(system.auth.received).toHaveLength(1)
})

test('returns 415 invalid_request for an unsupported content type', async () => {
  await using system = await startWithAuth()
  const response = await system.gateway.fetch('/v1/oauth2/token', { method: 'POST', headers: { 'content-type': 'form' }, body: 'a=b' })
  expect(response.status).toBe(415)
  expect(await response.json()).toMatchObject({ error: 'invalid_request' })
})

test('rotates requests among the replicas and skips one that is unavailable', async () => {
  await using system = await startWithAuth()
  await using second = await startFakeUpstream(authPorts[1])
  const send = () => system.gateway.fetch('/v1/oauth2/token', { method: 'POST', headers: form, body: 'a=b' })
  for (let times = 0; times < 4; times++) await send()
  expect([system.auth.received.length, second.received.length]).toEqual([2, 2])
  await second[Symbol.asyncDispose]()
  for (let times = 0; times < 4; times++) expect((await send()).status).toBe(200)
  expect(system.auth.received).toHaveLength(6)
})

test('returns 503 with Retry-After without replicas', async () => {
  await using gateway = await startGateway()
  for (const [method, path] of [
    ['GET', '/oauth2/authorize'],
    ['POST', '/v1/oauth2/token'],
  ] as const) {
    const response = await gateway.fetch(path, { method })
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('1')
    expect(await response.json()).toEqual({ error: 'ServiceUnavailable', detail: 'The auth service is not running.' })
  }
})

test('shows a browser that opens a page of auth a page, whatever keeps the gateway from forwarding', async () => {
  await using gateway = await startGateway()
  const headers = { accept: 'text/html,*/*;q=0.8' }
  const long = { method: 'POST', headers: { ...headers, ...form }, body: 'a'.repeat(70_000) }
  const failures = [await gateway.fetch('/oauth2/account', { headers }), await gateway.fetch('/oauth2/account/sign-in', long)]
  expect(failures.map(({ status }) => status)).toEqual([503, 413])
  expect(failures[0]?.headers.get('retry-after')).toBe('1')
  for (const failure of failures) {
    expect(failure.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(failure.headers.get('content-security-policy')).toContain(`default-src 'none'`)
    expect(await failure.text()).toMatch(/<h1>.+<\/h1><p>Nothing was (changed|saved)/)
  }
  expect((await gateway.fetch('/v1/oauth2/userinfo', { headers })).headers.get('content-type')).toMatch(/^application\/json/)
})

test('repeats a request that may have reached a replica only if it is a read', async () => {
  await using system = await startWithAuth()
  await using second = await startFakeUpstream(authPorts[1])
  for (const auth of [system.auth, second]) auth.answer((_, response) => response.socket?.destroy())
  const received = () => system.auth.received.length + second.received.length
  const post = await system.gateway.fetch('/v1/oauth2/token', { method: 'POST', headers: form, body: 'a=b' })
  expect([post.status, received()]).toEqual([503, 1])
  const get = await system.gateway.fetch('/.well-known/jwks.json')
  expect([get.status, received()]).toEqual([503, 3])
})

/** Sends a raw request and returns the whole response. */
function rawRequest(line: string, fields: readonly string[] = ['connection: close']): Promise<string> {
  const socket = connect(gatewayPort, '127.0.0.1')
  socket.write([line, 'host: evil.test', ...fields, ...(line.startsWith('POST') ? ['content-length: 0'] : []), '', ''].join('\r\n'))
  return text(socket)
}

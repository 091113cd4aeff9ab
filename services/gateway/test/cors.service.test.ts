import { afterAll, beforeAll, expect, test } from 'vitest'
import { startFakeUpstream } from './fake-upstream.ts'
import { authPorts, startGateway, type GatewayUnderTest } from './start-gateway.ts'

process.env['CORS_ORIGINS'] = 'https://shop.test, https://desk.test'

let gateway: GatewayUnderTest
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

const preflight = (origin: string) =>
  gateway.fetch('/v1/orders/', { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'GET' } })

test.each(['https://shop.test', 'https://desk.test'])(
  'lets a page of the configured origin %s read responses and errors',
  async (origin) => {
    for (const path of ['/v1/changes', '/v1/nothing']) {
      const { headers } = await gateway.fetch(path, { headers: { origin } })
      expect(headers.get('access-control-allow-origin')).toBe(origin)
      expect(headers.get('access-control-expose-headers')).toContain('Retry-After')
      expect(headers.get('vary')).toContain('Origin')
    }
    const { headers } = await preflight(origin)
    expect(headers.get('access-control-allow-origin')).toBe(origin)
    expect(headers.get('access-control-allow-methods')).toBe('GET, HEAD, OPTIONS')
    expect(headers.get('access-control-allow-headers')).toContain('Authorization')
  },
)

test.each(['https://elsewhere.test', 'http://shop.test', 'https://shop.test.elsewhere.test', 'null'])(
  'lets a page of the origin %s, which is not configured, read nothing; sends Vary',
  async (origin) => {
    const { headers } = await gateway.fetch('/v1/changes', { headers: { origin } })
    expect(headers.get('access-control-allow-origin')).toBeNull()
    expect(headers.get('access-control-expose-headers')).toBeNull()
    expect(headers.get('vary')).toContain('Origin')
    const response = await preflight(origin)
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
    expect(response.headers.get('access-control-allow-methods')).toBeNull()
  },
)

test('sends Vary: Origin to clients that send no origin', async () => {
  const { status, headers } = await gateway.fetch('/v1/changes')
  expect([status, headers.get('access-control-allow-origin')]).toEqual([200, null])
  expect(headers.get('vary')).toContain('Origin')
})

const oauth = [
  ['POST', '/v1/oauth2/token'],
  ['GET', '/.well-known/openid-configuration'],
] as const

test.each(oauth)('lets a page read that auth is unavailable at %s %s', async (method, path) => {
  const { status, headers } = await gateway.fetch(path, { method, headers: { origin: 'https://shop.test' } })
  expect([status, headers.get('access-control-allow-origin'), headers.get('vary')]).toEqual([503, 'https://shop.test', 'Origin'])
  expect(headers.get('access-control-expose-headers')).toContain('Retry-After')
})

test('lets a page read that its form is too large for auth, but no failure at a page of auth', async () => {
  const request = { method: 'POST', body: 'a'.repeat(65_537), headers: { origin: 'https://shop.test' } }
  const large = await gateway.fetch('/v1/oauth2/token', request)
  expect([large.status, large.headers.get('access-control-allow-origin')]).toEqual([413, 'https://shop.test'])
  const page = await gateway.fetch('/oauth2/authorize', { headers: { origin: 'https://shop.test' } })
  expect([page.status, page.headers.get('access-control-allow-origin')]).toEqual([503, null])
})

test.each(oauth)('leaves the CORS headers of %s %s to auth if it answers', async (method, path) => {
  await using auth = await startFakeUpstream(authPorts[0])
  const names = ['access-control-allow-origin', 'access-control-expose-headers', 'vary']
  const read = async () => {
    const { status, headers } = await gateway.fetch(path, { method, headers: { origin: 'https://shop.test' } })
    return [status, ...names.map((name) => headers.get(name))]
  }
  expect(await read()).toEqual([200, null, null, null])
  const set = { [names[0] as string]: 'https://app.test', [names[1] as string]: 'WWW-Authenticate', vary: 'Origin' }
  auth.answer((_, response) => response.writeHead(400, set).end())
  expect(await read()).toEqual([400, 'https://app.test', 'WWW-Authenticate', 'Origin'])
})

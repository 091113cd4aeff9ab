import { afterAll, beforeAll, expect, test } from 'vitest'
import { startGateway, type GatewayUnderTest } from './start-gateway.ts'

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

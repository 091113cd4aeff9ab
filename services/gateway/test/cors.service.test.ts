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
  'a page of %s, which is configured, may read answers and refusals',
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
  'a page of %s, which is not configured, may read nothing, and caches are told that it depends',
  async (origin) => {
    const { headers } = await gateway.fetch('/v1/changes', { headers: { origin } })
    expect(headers.get('access-control-allow-origin')).toBeNull()
    expect(headers.get('access-control-expose-headers')).toBeNull()
    expect(headers.get('vary')).toContain('Origin')
    const asked = await preflight(origin)
    expect(asked.headers.get('access-control-allow-origin')).toBeNull()
    expect(asked.headers.get('access-control-allow-methods')).toBeNull()
  },
)

test('who is no page learns that answers depend on the origin', async () => {
  const { status, headers } = await gateway.fetch('/v1/changes')
  expect([status, headers.get('access-control-allow-origin')]).toEqual([200, null])
  expect(headers.get('vary')).toContain('Origin')
})

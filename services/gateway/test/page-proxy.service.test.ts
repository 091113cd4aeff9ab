import { eventually } from '@quittance/testing/eventually'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { Pool } from 'undici'
import { startFakeUpstream, type FakeUpstream } from './fake-upstream.ts'
import { gatewayPort, type GatewayUnderTest, startGateway, storefrontPort } from './start-gateway.ts'

const pagesKey = 'a-key-of-page-servers-for-tests-only-0123456789'
process.env['PAGES_KEY'] = pagesKey
process.env['PAGES_URL'] = 'https://pay.quittance.test'
process.env['RATE_LIMIT_PER_SECOND'] = '200'

let gateway: GatewayUnderTest
const client = new Pool(`http://127.0.0.1:${gatewayPort}`)
let storefront: FakeUpstream | null = null
beforeAll(async () => void (gateway = await startGateway()))
afterEach(async () => {
  await storefront?.[Symbol.asyncDispose]()
  storefront = null
})
afterAll(async () => {
  await client.close()
  await gateway[Symbol.asyncDispose]()
})

/** A request as the load balancer sends it: with the host that the client named, and the path byte for byte. */
function send(request: { path: string; method?: string; headers?: Record<string, string>; body?: string }) {
  const { headers, ...rest } = request
  return client.request({ method: 'GET', ...rest, headers: { host: 'pay.quittance.test', ...headers } })
}

const get = (path: string, headers: Record<string, string> = {}) => send({ path, headers })

let visitor = 0
const someone = () => `198.51.100.${(visitor += 1)}`
const remaining = (field: unknown) => Number(/r=(\d+)/.exec(String(field))?.[1])

test('passes pages to the storefront with the public address, the visitor and the trace', async () => {
  storefront = await startFakeUpstream(storefrontPort)
  for (const path of [
    '/checkout/qt_co_1',
    '/checkout/qt_co_1/confirmation?x=1',
    '/harbour-books/portal',
    '/checkout/portal',
    '/a/portal/orders/1',
  ]) {
    expect((await get(path, { accept: 'text/html', 'x-forwarded-host': 'evil.example' })).statusCode).toBe(200)
    expect(storefront.received.at(-1)).toMatchObject({
      url: path,
      headers: { 'x-forwarded-host': ['pay.quittance.test'], 'x-forwarded-proto': ['https'], 'x-forwarded-for': ['127.0.0.1'] },
    })
    expect(storefront.received.at(-1)?.headers['traceparent']?.[0]).toMatch(/^00-[0-9a-f]{32}-/)
  }
})

test('pages are found at their host only, and nothing else is found there [pages 2]', async () => {
  storefront = await startFakeUpstream(storefrontPort)
  const status = async (path: string, host: string) => (await get(path, { host, accept: 'text/html' })).statusCode
  expect(await status('/checkout/qt_co_1', 'api.quittance.test')).toBe(404)
  expect(await status('/harbour-books/portal', 'login.quittance.test')).toBe(404)
  expect(await status('/', 'api.quittance.test')).toBe(404)
  for (const path of ['/v1/changes', '/docs', '/openapi.json', '/oauth2/account', '/.well-known/jwks.json', '/v1/nothing']) {
    expect({ path, status: await status(path, 'pay.quittance.test') }).toEqual({ path, status: 404 })
  }
  expect(await status('/v1/changes', 'api.quittance.test')).toBe(200)
  expect(await status('/checkout/qt_co_1', 'pay.quittance.test')).toBe(200)
})

test('without CONSOLE_URL there is no console at an https address [pages 3]', async () => {
  storefront = await startFakeUpstream(storefrontPort)
  for (const host of ['pay.quittance.test', 'api.quittance.test', 'login.quittance.test']) {
    for (const path of ['/console', '/console/harbour/orders'])
      expect({ host, path, status: (await get(path, { host, accept: 'text/html' })).statusCode }).toEqual({ host, path, status: 404 })
  }
  expect(storefront.received).toEqual([])
})

test('the start page is for browsers; programs get the one of a path without an operation', async () => {
  storefront = await startFakeUpstream(storefrontPort)
  const program = await get('/', { accept: 'application/json' })
  expect([program.statusCode, await program.body.json()]).toEqual([
    404,
    { error: 'ResourceNotFound', detail: 'There is no operation GET /.' },
  ])
  expect(program.headers['vary']).toContain('Accept')
  expect((await get('/', { accept: 'text/html,*/*' })).statusCode).toBe(200)
})

test('rejects encoded and ambiguous paths, other methods and large forms', async () => {
  storefront = await startFakeUpstream(storefrontPort)
  for (const path of ['/checkout/%71t_co_1', '/checkout/../v1/orders', '/a%2fb/portal', '/checkout/qt_co_1/%2e%2e/x']) {
    expect([400, 404]).toContain((await get(path)).statusCode)
  }
  expect((await send({ path: '/checkout/qt_co_1', method: 'DELETE' })).statusCode).toBe(405)
  const large = await send({
    path: '/checkout/qt_co_1',
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `x=${'y'.repeat(70_000)}`,
  })
  expect([large.statusCode, large.headers['content-type']]).toEqual([413, 'text/html; charset=utf-8'])
  expect(storefront.received).toEqual([])
})

test('shows a page while the storefront is down, and the API works [pages 9]', async () => {
  const down = await get('/checkout/qt_co_1', { accept: 'text/html' })
  expect([down.statusCode, down.headers['content-type'], down.headers['cache-control']]).toEqual([
    503,
    'text/html; charset=utf-8',
    'no-store',
  ])
  expect(await down.body.text()).toContain('Nothing was charged')
  expect((await get('/v1/changes', { host: 'api.quittance.test' })).statusCode).toBe(200)
})

test('a page about a lost reply to a form does not state that nothing was charged', async () => {
  storefront = await startFakeUpstream(storefrontPort)
  storefront.answer((_, response) => void response.destroy())
  const headers = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }
  const lost = await send({ path: '/checkout/qt_co_1', method: 'POST', headers, body: 'intent=order' })
  expect([lost.statusCode, lost.headers['content-type'], storefront.received.length]).toEqual([503, 'text/html; charset=utf-8', 1])
  expect(await lost.body.text()).not.toContain('Nothing was')
})

test('API calls of a page server count on its visitor with the right key only [pages 8]', async () => {
  const call = (headers: Record<string, string>) => get('/v1/changes', { host: 'api.quittance.test', ...headers })
  await eventually(async () => {
    const named = someone()
    const known = { 'x-forwarded-for': named, 'x-pages-key': pagesKey }
    const first = await call(known)
    const second = await call(known)
    // Both in one window of a second.
    expect([remaining(first.headers['ratelimit']), remaining(second.headers['ratelimit'])]).toEqual([199, 198])
  })
  for (const wrong of [{}, { 'x-pages-key': `${pagesKey}x` }, { 'x-pages-key': '' }]) {
    const named = someone()
    await eventually(async () => {
      const counts = []
      for (let i = 0; i < 3; i++) counts.push(remaining((await call({ 'x-forwarded-for': named, ...wrong })).headers['ratelimit']))
      // The same address as every other request of this test: never the first of a new one after it was named once.
      const other = remaining((await call({ 'x-forwarded-for': someone(), ...wrong })).headers['ratelimit'])
      expect(other).toBe((counts.at(-1) as number) - 1)
    })
  }
})

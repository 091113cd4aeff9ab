import { brotliDecompressSync } from 'node:zlib'
import { request } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { gatewayPort, startGateway, type GatewayUnderTest } from './start-gateway.ts'

let gateway: GatewayUnderTest
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

test('serves the whole API reference itself, with a policy that allows no other host', async () => {
  const page = await gateway.fetch('/docs')
  expect(page.status).toBe(200)
  const policy = page.headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'none'")
  expect(policy).not.toMatch(/https?:|\*|script-src[^;]*unsafe/)
  const sources = [...(await page.text()).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source]) => source as string)
  expect(sources.filter((source) => !/^(\/|data:)/.test(source))).toEqual([])
  for (const path of sources.filter((source) => source.startsWith('/')))
    expect([path, (await fetchWhole(path)).status]).toEqual([path, 200])
  for (const path of ['/docs', '/docs/start.js', '/docs/reference/js/scalar.js'])
    expect([path, (await fetchWhole(path)).headers.get('cache-control')]).toEqual([path, 'public, max-age=300'])
})

/** Reads the body too: the gateway waits up to a minute for a client that does not, when it stops. */
async function fetchWhole(path: string): Promise<Response> {
  const response = await gateway.fetch(path)
  await response.arrayBuffer()
  return response
}

test('asks to be reloaded and names the description while the reference is not shown, as after a rejected script', async () => {
  const text = await (await gateway.fetch('/docs')).text()
  expect(text).toMatch(/<div id="reference"><p>[^<]*Reload the page[^]*href="\/openapi.json"/)
})

/** Sends a request without the client's default Accept-Encoding. */
const fetchAs = (encoding: string, path: string) =>
  request(`http://127.0.0.1:${gatewayPort}${path}`, { headers: { 'accept-encoding': encoding } })

test.each(['/docs/reference/js/scalar.js', '/openapi.json'])('compresses %s', async (path) => {
  const [whole, compressed] = [await fetchAs('identity', path), await fetchAs('br', path)]
  expect([whole.headers['content-encoding'], compressed.headers['content-encoding']]).toEqual([undefined, 'br'])
  const [body, sent] = [Buffer.from(await whole.body.arrayBuffer()), Buffer.from(await compressed.body.arrayBuffer())]
  expect(sent.length).toBeLessThan(body.length / 3)
  expect(brotliDecompressSync(sent).equals(body)).toBe(true)
  expect(String(whole.headers['vary'])).toContain('Accept-Encoding')
})

test('serves only the script of the package, by GET and HEAD', async () => {
  const head = await gateway.fetch('/docs/reference/js/scalar.js', { method: 'HEAD' })
  expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([200, expect.stringContaining('javascript'), ''])
  expect((await gateway.fetch('/docs/reference/')).status).toBe(404)
})

test.each(['/docs', '/docs/start.js', '/openapi.json', '/v1/changes'])(
  'HEAD %s has no body, OPTIONS lists the methods, and others are 405 with Allow',
  async (path) => {
    const [get, head] = [await gateway.fetch(path), await gateway.fetch(path, { method: 'HEAD' })]
    expect([head.status, await head.text()]).toEqual([200, ''])
    for (const name of ['content-type', 'content-length', 'cache-control', 'content-security-policy']) {
      expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)])
    }
    expect((await get.text()).length).toBeGreaterThan(0)
    const options = await gateway.fetch(path, { method: 'OPTIONS' })
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS'])
    const response = await gateway.fetch(path, { method: 'POST' })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
    expect(await response.json()).toEqual({ error: 'MethodNotAllowed', detail: 'Allowed methods: GET, HEAD, OPTIONS.' })
  },
)

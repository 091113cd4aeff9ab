import { randomUUID } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { hashToken, mintToken } from '@quittance/runtime/credential'
import { organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bearer, gatewayPort, type GatewayUnderTest, startGateway, verification, verifiedAs } from './start-gateway.ts'

process.env['RATE_LIMIT_PER_SECOND'] = '20'
process.env['TRUSTED_PROXIES'] = '127.0.0.1, 10.0.0.0/8'
process.env['MAX_IN_FLIGHT'] = '8'

/** Organization of each token, by the hash that auth receives. */
const organizations = new Map<string, string>()
let gateway: GatewayUnderTest
let client = 0

beforeAll(async () => {
  gateway = await startGateway()
  await gateway.play(verification, ({ hash }: { hash: string }) => verifiedAs(organizationCaller(organizations.get(hash) ?? '')))
})
afterAll(() => gateway[Symbol.asyncDispose]())

/** Sends a request as a local proxy would forward it. */
const from = (...hops: string[]) => ({ headers: { 'x-forwarded-for': hops.join(', ') } })
/** Returns a token of an organization; by default of a new one. */
function createToken(organizationId = randomUUID()): string {
  const token = mintToken('qt_oat_')
  organizations.set(hashToken(token), organizationId)
  return token
}
const someone = () => `203.0.113.${(client += 1)}`
const remaining = (response: Response) => Number(/r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1])

test('returns the remaining quota, and Retry-After in the contract’s error if exceeded', async () => {
  const address = someone()
  const first = await gateway.fetch('/v1/changes', from(address))
  expect(first.headers.get('ratelimit-policy')).toBe('"ip";q=20;w=1')
  expect(first.headers.get('ratelimit')).toBe('"ip";r=19;t=1')
  // Forty requests in one window, which lasts one second.
  const rejected = await eventually(async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, () => gateway.fetch('/v1/nothing', from(address))))
    expect(remaining(answers[0] as Response)).toBeLessThan(20)
    const found = answers.find(({ status }) => status === 429)
    if (!found) throw new Error('No request was rejected')
    return found
  })
  expect(rejected.headers.get('retry-after')).toBe('1')
  expect(rejected.headers.get('ratelimit')).toBe('"ip";r=0;t=1')
  expect(await rejected.json()).toEqual({ error: 'TooManyRequests', detail: expect.any(String) })
  const problem = await gateway.fetch('/v1/nothing', { headers: { ...from(address).headers, accept: 'application/problem+json' } })
  if (problem.status === 429) expect(await problem.json()).toMatchObject({ status: 429, 'violated-policies': ['ip'] })
})

test('lets a page of any origin read that an OAuth endpoint rejected it because of the rate limit', async () => {
  const address = someone()
  const request = { method: 'POST', headers: { ...from(address).headers, origin: 'https://app.test' } }
  const rejected = await eventually(async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, () => gateway.fetch('/v1/oauth2/token', request)))
    const found = answers.find(({ status }) => status === 429)
    if (!found) throw new Error('No request was rejected')
    return found
  })
  expect(rejected.headers.get('access-control-allow-origin')).toBe('*')
  expect(rejected.headers.get('access-control-expose-headers')).toContain('Retry-After')
})

test('identifies a client by the nearest untrusted address in X-Forwarded-For', async () => {
  // All requests in one window, which lasts one second: slower runs are repeated with unused addresses.
  await eventually(async () => {
    const address = someone()
    const nearest = someone()
    await gateway.fetch('/v1/changes', from(address))
    expect(remaining(await gateway.fetch('/v1/changes', from('198.51.100.1', address, '10.1.2.3')))).toBe(18)
    expect(remaining(await gateway.fetch('/v1/changes', from(address, nearest)))).toBe(19)
    expect(remaining(await gateway.fetch('/v1/changes', from(`::ffff:${address}`)))).toBe(17)
  })
})

test('counts an address once, also for proxies that add the port of the client', async () => {
  let site = 0
  await eventually(async () => {
    const [plain, prefix] = [someone(), `2001:db8:${(site += 1)}:7:`]
    await gateway.fetch('/v1/changes', from(`${plain}:1024`))
    expect(remaining(await gateway.fetch('/v1/changes', from(`${plain}:65535`)))).toBe(18)
    await gateway.fetch('/v1/changes', from(`[${prefix}:1]:1024`))
    expect(remaining(await gateway.fetch('/v1/changes', from(`[${prefix}:2]`)))).toBe(18)
  })
})

test('counts addresses of one /64 as one client', async () => {
  let site = 0
  await eventually(async () => {
    const prefix = `2001:db8:${(site += 1)}`
    await gateway.fetch('/v1/changes', from(`${prefix}:2::1`))
    expect(remaining(await gateway.fetch('/v1/changes', from(`${prefix}:2:ffff::9`)))).toBe(18)
    expect(remaining(await gateway.fetch('/v1/changes', from(`${prefix}:3::1`)))).toBe(19)
  })
})

test('answers a probe after the address has used up its limit', async () => {
  const address = someone()
  await Promise.all(Array.from({ length: 25 }, () => gateway.fetch('/v1/changes', from(address))))
  expect((await gateway.fetch('/livez', from(address))).status).toBe(200)
  expect((await gateway.fetch('/readyz', from(address))).status).toBe(200)
})

test('returns 503 at once above the in-flight limit, answers probes, and recovers', async () => {
  const held = Promise.withResolvers<void>()
  const calls = await gateway.play('orders.order.list', async () => {
    await held.promise
    return '{}'
  })
  const list = () => gateway.fetch('/v1/orders/', { headers: { ...bearer(createToken()), ...from(someone()).headers } })
  const waiting = Array.from({ length: 8 }, list)
  await eventually(() => expect(calls).toHaveLength(8))
  const rejected = await list()
  expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await rejected.json()).toMatchObject({ error: 'ServiceUnavailable' })
  expect((await gateway.fetch('/readyz')).status).toBe(200)
  held.resolve()
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200))
  await eventually(async () => expect((await list()).status).toBe(200))
})

test('one organization holds a share of the requests in progress, and others are served', async () => {
  const held = Promise.withResolvers<void>()
  const calls = await gateway.play('orders.customer.list', async () => {
    await held.promise
    return '{}'
  })
  await gateway.play('orders.refund.list', '{}')
  const token = createToken()
  const call = (path: string, credential: string) => gateway.fetch(path, { headers: { ...bearer(credential), ...from(someone()).headers } })
  const slow = Array.from({ length: 10 }, () => call('/v1/customers/', token))
  await eventually(() => expect(calls).toHaveLength(6))
  for (let repeat = 0; repeat < 5; repeat++) expect((await call('/v1/refunds/', createToken())).status).toBe(200)
  held.resolve()
  const statuses = (await Promise.all(slow)).map(({ status }) => status)
  expect(statuses.toSorted((a, b) => a - b)).toEqual([...Array.from({ length: 6 }, () => 200), ...Array.from({ length: 4 }, () => 503)])
})

test('counts a request no longer as in flight after its client disconnects', async () => {
  const never = Promise.withResolvers<string>()
  const calls = await gateway.play('orders.product.list', () => never.promise)
  const clients = Array.from({ length: 8 }, () => {
    const headers = { ...bearer(createToken()), ...from(someone()).headers }
    const request = httpRequest({ port: gatewayPort, path: '/v1/products/', headers, agent: false })
    request.on('error', () => {})
    request.end()
    return request
  })
  await eventually(() => expect(calls).toHaveLength(8))
  for (const each of clients) each.destroy()
  await eventually(async () => expect((await gateway.fetch('/v1/changes', from(someone()))).status).toBe(200))
  never.resolve('{}')
})

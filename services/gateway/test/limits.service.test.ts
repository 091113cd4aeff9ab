import { randomUUID } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { mintToken } from '@quittance/runtime/credential'
import { organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bearer, startGateway, verification, verifiedAs, type GatewayUnderTest } from './start-gateway.ts'

process.env['RATE_LIMIT_PER_SECOND'] = '20'
process.env['TRUSTED_PROXIES'] = '127.0.0.1, 10.0.0.0/8'
process.env['MAX_IN_FLIGHT'] = '8'

const token = mintToken('qt_oat_')
let gateway: GatewayUnderTest
let client = 0

beforeAll(async () => {
  gateway = await startGateway()
  await gateway.play(verification, verifiedAs(organizationCaller(randomUUID())))
})
afterAll(() => gateway[Symbol.asyncDispose]())

/** As a proxy on this machine hands a request on. */
const from = (...hops: string[]) => ({ headers: { 'x-forwarded-for': hops.join(', ') } })
const someone = () => `203.0.113.${(client += 1)}`
const remaining = (response: Response) => Number(/r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1])

test('every answer says what is left of the limit, a refused one when to come back, in the contract’s shape', async () => {
  const address = someone()
  const first = await gateway.fetch('/v1/changes', from(address))
  expect(first.headers.get('ratelimit-policy')).toBe('"ip";q=20;w=1')
  expect(first.headers.get('ratelimit')).toBe('"ip";r=19;t=1')
  // Forty in one window, which a second ends.
  const refused = await eventually(async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, () => gateway.fetch('/v1/nothing', from(address))))
    expect(remaining(answers[0] as Response)).toBeLessThan(20)
    const found = answers.find(({ status }) => status === 429)
    if (!found) throw new Error('Nobody was refused')
    return found
  })
  expect(refused.headers.get('retry-after')).toBe('1')
  expect(refused.headers.get('ratelimit')).toBe('"ip";r=0;t=1')
  expect(await refused.json()).toEqual({ error: 'TooManyRequests', detail: expect.any(String) })
  const problem = await gateway.fetch('/v1/nothing', { headers: { ...from(address).headers, accept: 'application/problem+json' } })
  if (problem.status === 429) expect(await problem.json()).toMatchObject({ status: 429, 'violated-policies': ['ip'] })
})

test('a client is who the nearest proxy that is not ours says, whatever the client says before that', async () => {
  // All of them in one window, which a second ends: what took longer is looked at again, with addresses that nobody has used.
  await eventually(async () => {
    const address = someone()
    const nearest = someone()
    await gateway.fetch('/v1/changes', from(address))
    expect(remaining(await gateway.fetch('/v1/changes', from('198.51.100.1', address, '10.1.2.3')))).toBe(18)
    expect(remaining(await gateway.fetch('/v1/changes', from(address, nearest)))).toBe(19)
    expect(remaining(await gateway.fetch('/v1/changes', from(`::ffff:${address}`)))).toBe(17)
  })
})

test('addresses of one /64 are one client', async () => {
  let site = 0
  await eventually(async () => {
    const prefix = `2001:db8:${(site += 1)}`
    await gateway.fetch('/v1/changes', from(`${prefix}:2::1`))
    expect(remaining(await gateway.fetch('/v1/changes', from(`${prefix}:2:ffff::9`)))).toBe(18)
    expect(remaining(await gateway.fetch('/v1/changes', from(`${prefix}:3::1`)))).toBe(19)
  })
})

test('a probe is answered when the address has used its limit up', async () => {
  const address = someone()
  await Promise.all(Array.from({ length: 25 }, () => gateway.fetch('/v1/changes', from(address))))
  expect((await gateway.fetch('/livez', from(address))).status).toBe(200)
  expect((await gateway.fetch('/readyz', from(address))).status).toBe(200)
})

test('more requests under way than the house takes are 503 at once, a probe is answered, and room comes back', async () => {
  const held = Promise.withResolvers<void>()
  const asked = await gateway.play('orders.order.list', async () => {
    await held.promise
    return '{}'
  })
  const list = () => gateway.fetch('/v1/orders/', { headers: { ...bearer(token), ...from(someone()).headers } })
  const waiting = Array.from({ length: 8 }, list)
  await eventually(() => expect(asked).toHaveLength(8))
  const refused = await list()
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await refused.json()).toMatchObject({ error: 'ServiceUnavailable' })
  expect((await gateway.fetch('/readyz')).status).toBe(200)
  held.resolve()
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200))
  await eventually(async () => expect((await list()).status).toBe(200))
})

test('a client that goes away gives its place back', async () => {
  const never = Promise.withResolvers<string>()
  const asked = await gateway.play('orders.product.list', () => never.promise)
  const clients = Array.from({ length: 8 }, () => {
    const headers = { ...bearer(token), ...from(someone()).headers }
    const request = httpRequest({ port: process.env['PORT'], path: '/v1/products/', headers, agent: false })
    request.on('error', () => {})
    request.end()
    return request
  })
  await eventually(() => expect(asked).toHaveLength(8))
  for (const each of clients) each.destroy()
  await eventually(async () => expect((await gateway.fetch('/v1/changes', from(someone()))).status).toBe(200))
  never.resolve('{}')
})

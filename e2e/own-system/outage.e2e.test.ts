import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '@quittance/testing/eventually'
import { startSystem, type StartedSystem } from '@quittance/testing/system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startOwnEngines, type OwnEngines } from './own-engines.ts'

let engines: OwnEngines
let system: StartedSystem

beforeAll(async () => {
  engines = await startOwnEngines()
  system = await startSystem({ env: { ...engines.env, RATE_LIMIT_PER_SECOND: '0' } })
})
afterAll(async () => {
  await system[Symbol.asyncDispose]()
  await engines[Symbol.asyncDispose]()
})

const orderPath = () => `/v1/orders/${system.demo.paid_order_id}`

async function request(path: string, method = 'GET', body?: unknown) {
  const startedAt = performance.now()
  const response = await system.api(method, path, body)
  return { ...response, ms: performance.now() - startedAt }
}

async function readStatus(path: string): Promise<number> {
  return (await fetch(`${system.readReadyFile().base_url}${path}`)).status
}

/** Sends up to twenty requests in sequence until one is not rejected; returns the milliseconds of each rejection. */
async function collectRejections(send: () => ReturnType<typeof request>): Promise<number[]> {
  const times: number[] = []
  while (times.length < 20) {
    const { status, headers, body, ms } = await send()
    if (status !== 503) break
    expect({ error: body.error, after: headers.get('retry-after') }).toEqual({ error: 'ServiceUnavailable', after: '1' })
    times.push(ms)
  }
  return times
}

/** Checks the median: a single request may be slow on a busy machine. */
function assertQuick(times: readonly number[]): void {
  expect(times.toSorted((a, b) => a - b)[times.length >> 1]).toBeLessThan(100)
}

/** Sends twenty requests in sequence: each must be a 503 with Retry-After, typically in under 100 ms. */
async function assertQuickRejections(send: () => ReturnType<typeof request>): Promise<void> {
  const times = await collectRejections(send)
  expect(times).toHaveLength(20)
  assertQuick(times)
}

const pids = () => Object.values(system.readReadyFile().services).flatMap((processes) => processes.map(({ pid }) => pid))

/** Checks endpoints that need only the gateway, or auth without its database. */
async function assertIndependentEndpoints(): Promise<void> {
  for (const path of ['/livez', '/openapi.json', '/v1/changes', '/.well-known/oauth-protected-resource']) {
    expect(await readStatus(path)).toBe(200)
  }
}

async function waitUntilRecovered(): Promise<void> {
  await eventually(async () => expect((await request(orderPath())).status).toBe(200))
  await eventually(async () => expect((await request('/v1/customers/', 'POST', createCustomerBody())).status).toBe(201))
  await eventually(async () => expect(await readStatus('/readyz')).toBe(200))
  await system.untilReady()
}

let count = 0
const createCustomerBody = () => ({ email: `outage-${(count += 1)}@example.com` })

test('without NATS, service requests fail at once, the rest works, recovery needs no restart', async () => {
  await waitUntilRecovered()
  const before = pids()
  await engines.nats.stop()
  await eventually(async () => expect(await readStatus('/readyz')).toBe(503))
  await assertQuickRejections(() => request(orderPath()))
  await assertQuickRejections(() => request('/v1/customers/', 'POST', createCustomerBody()))
  await assertIndependentEndpoints()
  expect(await readStatus('/.well-known/openid-configuration')).toBe(200)
  await engines.nats.start()
  await waitUntilRecovered()
  expect(pids()).toEqual(before)
})

test('without PostgreSQL, its requests fail at once, the rest works, recovery needs no restart', async () => {
  await waitUntilRecovered()
  const before = pids()
  await engines.postgres.stop()
  await assertQuickRejections(() => request(orderPath()))
  await assertQuickRejections(() => request('/v1/customers/', 'POST', createCustomerBody()))
  await assertIndependentEndpoints()
  expect(await readStatus('/readyz')).toBe(200)
  await engines.postgres.start()
  await waitUntilRecovered()
  expect(pids()).toEqual(before)
})

test('without one service, its operations fail at once and those of the others work', async () => {
  await waitUntilRecovered()
  system.kill('orders')
  // A request sent before the message broker noticed the kill waits in vain; every later one is rejected at once.
  await eventually(async () => {
    const firstResponse = await Promise.race([request(orderPath()), pause(100, null)])
    // On a busy machine the service may be back before any request was rejected.
    if (firstResponse?.status === 200) system.kill('orders')
    expect(firstResponse?.status).toBe(503)
  })
  // The service is restarting, which takes many times longer than these requests.
  const times = await collectRejections(() => request(orderPath()))
  expect(times.length).toBeGreaterThanOrEqual(5)
  assertQuick(times)
  expect((await request('/v1/webhooks/endpoints')).status).toBe(200)
  await waitUntilRecovered()
})

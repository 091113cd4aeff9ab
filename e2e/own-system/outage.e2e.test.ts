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

const order = () => `/v1/orders/${system.demo.paid_order_id}`

async function ask(path: string, method = 'GET', body?: unknown) {
  const from = performance.now()
  const answer = await system.api(method, path, body)
  return { ...answer, ms: performance.now() - from }
}

async function statusOf(path: string): Promise<number> {
  return (await fetch(`${system.facts().base_url}${path}`)).status
}

/** Up to twenty requests one after the other, until there is no refusal; milliseconds of each. */
async function refusals(send: () => ReturnType<typeof ask>): Promise<number[]> {
  const times: number[] = []
  while (times.length < 20) {
    const { status, headers, body, ms } = await send()
    if (status !== 503) break
    expect({ error: body.error, after: headers.get('retry-after') }).toEqual({ error: 'ServiceUnavailable', after: '1' })
    times.push(ms)
  }
  return times
}

/** The median: one request may meet a machine that is busy. */
function demandQuick(times: readonly number[]): void {
  expect(times.toSorted((a, b) => a - b)[times.length >> 1]).toBeLessThan(100)
}

/** Twenty requests one after the other: each 503 that asks to come back, and typically in under 100 ms. */
async function demandQuickRefusals(send: () => ReturnType<typeof ask>): Promise<void> {
  const times = await refusals(send)
  expect(times).toHaveLength(20)
  demandQuick(times)
}

const pids = () => Object.values(system.facts().services).flatMap((processes) => processes.map(({ pid }) => pid))

/** What needs nothing but the gateway, and what auth serves without asking its database. */
async function demandTheRest(): Promise<void> {
  for (const path of ['/livez', '/openapi.json', '/v1/changes', '/.well-known/oauth-protected-resource']) {
    expect(await statusOf(path)).toBe(200)
  }
}

async function untilBack(): Promise<void> {
  await eventually(async () => expect((await ask(order())).status).toBe(200))
  await eventually(async () => expect((await ask('/v1/customers/', 'POST', someone())).status).toBe(201))
  await eventually(async () => expect(await statusOf('/readyz')).toBe(200))
  await system.untilReady()
}

let count = 0
const someone = () => ({ email: `outage-${(count += 1)}@example.com` })

test('without NATS what needs a service is refused at once, the rest goes on, and nothing has to be started again', async () => {
  await untilBack()
  const before = pids()
  await engines.nats.stop()
  await eventually(async () => expect(await statusOf('/readyz')).toBe(503))
  await demandQuickRefusals(() => ask(order()))
  await demandQuickRefusals(() => ask('/v1/customers/', 'POST', someone()))
  await demandTheRest()
  expect(await statusOf('/.well-known/openid-configuration')).toBe(200)
  await engines.nats.start()
  await untilBack()
  expect(pids()).toEqual(before)
})

test('without PostgreSQL what needs it is refused at once, the rest goes on, and nothing has to be started again', async () => {
  await untilBack()
  const before = pids()
  await engines.postgres.stop()
  await demandQuickRefusals(() => ask(order()))
  await demandQuickRefusals(() => ask('/v1/customers/', 'POST', someone()))
  await demandTheRest()
  expect(await statusOf('/readyz')).toBe(200)
  await engines.postgres.start()
  await untilBack()
  expect(pids()).toEqual(before)
})

test('without one service its operations are refused at once, those of the others are answered', async () => {
  await untilBack()
  system.kill('orders')
  // What was sent before the message server noticed is waited for in vain; whatever comes later is refused at once.
  await eventually(async () => {
    const quickly = await Promise.race([ask(order()), pause(100, null)])
    // On a machine that is busy it may be back before anybody was refused.
    if (quickly?.status === 200) system.kill('orders')
    expect(quickly?.status).toBe(503)
  })
  // It is being started again meanwhile, which takes many times as long as these.
  const times = await refusals(() => ask(order()))
  expect(times.length).toBeGreaterThanOrEqual(5)
  demandQuick(times)
  expect((await ask('/v1/webhooks/endpoints')).status).toBe(200)
  await untilBack()
})

import { metrics } from '@quittance/runtime/metrics'
import { createLogger } from '@quittance/runtime/logger'
import { startRedisServer, type RedisServer } from '@quittance/testing/engines/redis-server'
import { eventually } from '@quittance/testing/eventually'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRateLimit, type RateLimit } from '../src/access/rate-limit.ts'

let store: RedisServer
let replicas: [RateLimit, RateLimit]
const lines: string[] = []

beforeAll(async () => {
  store = await startRedisServer()
  const log = createLogger('gateway', 'info')
  log.warn = log.info = (_fields: unknown, event?: string) => void lines.push(event ?? '')
  replicas = [limit(), limit()]
  function limit() {
    // With the default of 100 ms a busy machine loses the store more than once.
    return createRateLimit({ perSecond: 100, storeUrl: store.url, storeTimeoutMs: 1_000, log })
  }
  await eventually(() => countTogether())
})
afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.close()))
  await store[Symbol.asyncDispose]()
})

let address = 0
/** Returns an unused address, whose window begins with its first request. */
const fresh = () => `203.0.113.${(address += 1)}`

/** Sends 150 concurrent requests, half to each replica; returns the number accepted. */
async function passing(of: string): Promise<number> {
  const quotas = await Promise.all(Array.from({ length: 150 }, (_, n) => (n % 2 ? replicas[1] : replicas[0]).count(of)))
  return quotas.filter((quota) => quota && !quota.isExceeded).length
}

async function countTogether(): Promise<void> {
  expect(await passing(fresh())).toBe(100)
}

async function failures(): Promise<number> {
  const metric = await metrics.getSingleMetric('rate_limit_store_failures_total')?.get()
  return metric?.values[0]?.value ?? 0
}

test('shares the count: of 150 concurrent requests, 100 pass', async () => {
  await eventually(() => countTogether())
})

test('returns the time until the reset with a rejected request', async () => {
  await eventually(async () => {
    const one = fresh()
    await passing(one)
    expect(await replicas[0].count(one)).toEqual({ limit: 100, remaining: 0, resetSeconds: 1, isExceeded: true })
  })
})

test.each(['killed', 'frozen'] as const)(
  'with the store %s each replica counts alone, logs it once and shares the count again',
  async (how) => {
    lines.length = 0
    const before = await failures()
    if (how === 'killed') await store.kill()
    else store.freeze()
    // Each replica counts alone: 75 at each are fewer than its limit of 100.
    await eventually(async () => expect(await passing(fresh())).toBe(150))
    await eventually(async () => expect(await passing(fresh())).toBe(150))
    expect(await failures()).toBeGreaterThan(before)
    expect(lines.filter((line) => line === 'rate-limit.store-unavailable')).toHaveLength(2)
    if (how === 'killed') await store.start()
    else store.thaw()
    await eventually(() => countTogether())
    expect(lines.filter((line) => line === 'rate-limit.store-recovered')).toHaveLength(2)
  },
)

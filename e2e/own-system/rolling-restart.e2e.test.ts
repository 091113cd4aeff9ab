import type { ServiceName } from '@quittance/contracts/services'
import { eventually } from '@quittance/testing/eventually'
import { startSystem, type StartedSystem } from '@quittance/testing/system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startSteadyLoad } from './steady-load.ts'

/** Of the steady load while replicas are exchanged; `ROLLING_SECONDS=600` for a long one. */
const atLeastSeconds = Number(process.env['ROLLING_SECONDS'] ?? 12)
/** What a machine carries that is busy with other tests; `ROLLING_PER_SECOND=500` on two cores that are not, and more make the gateway shed load. */
const perSecond = Number(process.env['ROLLING_PER_SECOND'] ?? 150)

let system: StartedSystem

beforeAll(async () => {
  system = await startSystem({ replicas: 'gateway=2,orders=2', env: { RATE_LIMIT_PER_SECOND: '0', STOP_NOTICE_MS: '3000' } })
})
afterAll(() => system[Symbol.asyncDispose]())

/** A machine that cannot carry the load is slow to start and stop; what is promised holds there too. */
const longMs = 120_000

/** Asks one replica to stop, as a platform does, and waits for the next one in its place. */
async function exchange(service: ServiceName, index: number): Promise<void> {
  const replica = system.facts().services[service][index]
  if (!replica) throw new Error(`${service} has no replica ${index}`)
  process.kill(replica.pid, 'SIGTERM')
  await eventually(() => expect(() => process.kill(replica.pid, 0)).toThrow('ESRCH'), { withinMs: longMs })
  await eventually(() => expect(system.facts().services[service].map(({ pid }) => pid)).not.toContain(replica.pid), { withinMs: longMs })
  await system.untilReady()
}

test('two gateways and two replicas of orders are exchanged one by one under a steady load, and no request fails', async () => {
  using load = await startSteadyLoad({
    origins: system.facts().services.gateway.flatMap(({ url }) => url ?? []),
    token: system.demo.organization_access_token,
    orderId: system.demo.paid_order_id,
    perSecond,
  })
  const from = performance.now()
  do {
    for (const service of ['gateway', 'orders'] as const) {
      for (const index of [0, 1]) await exchange(service, index)
    }
  } while (performance.now() - from < atLeastSeconds * 1000)
  const seconds = (performance.now() - from) / 1000
  const { asked, written, failures } = await load.stop()
  expect(failures).toEqual({})
  expect(asked).toBeGreaterThan(perSecond * seconds * 0.95)
  const sql = 'select count(*)::int as count from customers where email = any($1)'
  expect(await system.rows('orders', sql, [written])).toEqual([{ count: written.length }])
}, 900_000)

import type { ServiceName } from '@quittance/contracts/services'
import { eventually } from '@quittance/testing/eventually'
import { startSystem, type StartedSystem } from '@quittance/testing/system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startSteadyLoad } from './steady-load.ts'

/** Minimum duration of the steady load while replicas are replaced; `ROLLING_SECONDS=600` for a long run. */
const minDurationSeconds = Number(process.env['ROLLING_SECONDS'] ?? 12)
/**
 * Rate that a machine sustains while it runs other tests; `ROLLING_PER_SECOND=500` on two idle cores. A higher rate makes the gateway shed
 * load.
 */
const perSecond = Number(process.env['ROLLING_PER_SECOND'] ?? 150)

let system: StartedSystem

beforeAll(async () => {
  system = await startSystem({ replicas: 'gateway=2,orders=2', env: { RATE_LIMIT_PER_SECOND: '0', STOP_NOTICE_MS: '3000' } })
})
afterAll(() => system[Symbol.asyncDispose]())

/** An overloaded machine starts and stops replicas slowly; the guarantees hold there too. */
const restartTimeoutMs = 120_000

/** Stops one replica with SIGTERM, as a platform does, and waits for its replacement. */
async function replaceReplica(service: ServiceName, index: number): Promise<void> {
  const replica = system.readReadyFile().services[service][index]
  if (!replica) throw new Error(`${service} has no replica ${index}`)
  process.kill(replica.pid, 'SIGTERM')
  await eventually(() => expect(() => process.kill(replica.pid, 0)).toThrow('ESRCH'), { withinMs: restartTimeoutMs })
  await eventually(() => expect(system.readReadyFile().services[service].map(({ pid }) => pid)).not.toContain(replica.pid), {
    withinMs: restartTimeoutMs,
  })
  await system.untilReady()
}

test('no request fails while two gateways and two replicas of orders are replaced under load', async () => {
  using load = await startSteadyLoad({
    origins: system.readReadyFile().services.gateway.flatMap(({ url }) => url ?? []),
    token: system.demo.organization_access_token,
    orderId: system.demo.paid_order_id,
    perSecond,
  })
  const startedAt = performance.now()
  do {
    for (const service of ['gateway', 'orders'] as const) {
      for (const index of [0, 1]) await replaceReplica(service, index)
    }
  } while (performance.now() - startedAt < minDurationSeconds * 1000)
  const seconds = (performance.now() - startedAt) / 1000
  const { requestCount, createdEmails, failures } = await load.stop()
  expect(failures).toEqual({})
  expect(requestCount).toBeGreaterThan(perSecond * seconds * 0.95)
  const sql = 'select count(*)::int as count from customers where email = any($1)'
  expect(await system.rows('orders', sql, [createdEmails])).toEqual([{ count: createdEmails.length }])
}, 900_000)

import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { ServiceName } from '@quittance/contracts/services'
import { eventually } from '@quittance/testing/eventually'
import { startSystem, type StartedSystem } from '@quittance/testing/system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startBalancer, type Balancer } from './balancer.ts'

/** Of the steady load while replicas are exchanged; `ROLLING_SECONDS=600` for a long one. */
const atLeastSeconds = Number(process.env['ROLLING_SECONDS'] ?? 12)
/** What a machine carries that is busy with other tests; `ROLLING_PER_SECOND=500` on one that is not. */
const perSecond = Number(process.env['ROLLING_PER_SECOND'] ?? 150)

let system: StartedSystem
let balancer: Balancer

beforeAll(async () => {
  system = await startSystem({ replicas: 'gateway=2,orders=2', env: { RATE_LIMIT_PER_SECOND: '0', STOP_NOTICE_MS: '3000' } })
  balancer = await startBalancer(() => system.facts().services.gateway.flatMap(({ url }) => url ?? []))
})
afterAll(async () => {
  balancer.stop()
  await system[Symbol.asyncDispose]()
})

interface Outcome {
  asked: number
  written: string[]
  failures: string[]
}

/** Requests at a fixed rate, whatever becomes of them; every tenth writes. Ends when told, and waits for the last answer. */
async function load(signal: AbortSignal): Promise<Outcome> {
  const outcome: Outcome = { asked: 0, written: [], failures: [] }
  const running = new Set<Promise<void>>()
  const headers = { authorization: `Bearer ${system.demo.organization_access_token}`, 'content-type': 'application/json' }

  async function one(number: number): Promise<void> {
    const isWrite = number % 10 === 0
    const email = `rolling-${randomUUID()}@example.com`
    const write = { method: 'POST', body: JSON.stringify({ email }), headers: { ...headers, 'idempotency-key': randomUUID() } }
    const path = isWrite ? '/v1/customers/' : `/v1/orders/${system.demo.paid_order_id}`
    try {
      const response = await fetch(`${balancer.next()}${path}`, isWrite ? write : { headers })
      const text = await response.text()
      if (response.status !== (isWrite ? 201 : 200)) throw new Error(`${response.status} ${text}`)
      if (isWrite) outcome.written.push(email)
    } catch (error) {
      const { message, cause } = error as Error
      outcome.failures.push(`${isWrite ? 'write' : 'read'}: ${message} ${cause instanceof Error ? cause.message : ''}`)
    }
  }

  const from = performance.now()
  while (!signal.aborted) {
    const due = Math.floor(((performance.now() - from) / 1000) * perSecond)
    for (; outcome.asked < due; outcome.asked += 1) {
      const work = one(outcome.asked).finally(() => running.delete(work))
      running.add(work)
    }
    await pause(5)
  }
  await Promise.all(running)
  return outcome
}

/** Asks one replica to stop, as a platform does, and waits for the next one in its place. */
async function exchange(service: ServiceName, index: number): Promise<void> {
  const replica = system.facts().services[service][index]
  if (!replica) throw new Error(`${service} has no replica ${index}`)
  process.kill(replica.pid, 'SIGTERM')
  await eventually(() => expect(() => process.kill(replica.pid, 0)).toThrow('ESRCH'), { withinMs: 30_000 })
  await eventually(() => expect(system.facts().services[service].map(({ pid }) => pid)).not.toContain(replica.pid), { withinMs: 30_000 })
  await system.untilReady()
}

test('two gateways and two replicas of orders are exchanged one by one under a steady load, and no request fails', async () => {
  const stop = new AbortController()
  const from = performance.now()
  const loading = load(stop.signal)
  try {
    do {
      for (const service of ['gateway', 'orders'] as const) {
        for (const index of [0, 1]) await exchange(service, index)
      }
    } while (performance.now() - from < atLeastSeconds * 1000)
  } finally {
    stop.abort()
  }
  const seconds = (performance.now() - from) / 1000
  const { asked, written, failures } = await loading
  expect({ failures: failures.length, first: failures.slice(0, 5) }).toEqual({ failures: 0, first: [] })
  expect(asked).toBeGreaterThan(perSecond * seconds * 0.95)
  const sql = 'select count(*)::int as count from customers where email = any($1)'
  expect(await system.rows('orders', sql, [written])).toEqual([{ count: written.length }])
}, 900_000)

/** Process: makes the requests of a steady load. Says that it begins, and what came of it when it is told to stop. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'undici'
import { startBalancer } from './balancer.ts'
import type { Outcome, SteadyLoad } from './steady-load.ts'

/** To each replica, as balancers keep them. What is due while all are busy is sent over the next that is free. */
const connections = 64

process.once('disconnect', () => process.exit())
const [load] = (await once(process, 'message')) as [SteadyLoad]
const told = once(process, 'message')
const outcome = await make(load, told)
process.send?.(outcome)

async function make({ origins, token, orderId, perSecond }: SteadyLoad, stopped: Promise<unknown>): Promise<Outcome> {
  const balancer = await startBalancer(origins, connections)
  const pools = new Map(origins.map((origin) => [origin, new Pool(origin, { connections })]))
  const result: Outcome = { asked: 0, written: [], failures: {} }
  const running = new Set<Promise<void>>()
  let isOver = false
  void stopped.then(() => (isOver = true))
  process.send?.('begun')
  for (const from = performance.now(); !isOver; await pause(5)) {
    const due = Math.floor(((performance.now() - from) / 1000) * perSecond)
    for (; result.asked < due; result.asked += 1) {
      const work = one(result.asked % 10 === 0).finally(() => running.delete(work))
      running.add(work)
    }
  }
  await Promise.all(running)
  balancer.stop()
  return result

  async function one(isWrite: boolean): Promise<void> {
    try {
      const origin = await balancer.take()
      const pool = pools.get(origin) as Pool
      const asked = isWrite ? createCustomer(pool, token).then((email) => result.written.push(email)) : readOrder(pool, { token, orderId })
      await asked.finally(() => balancer.free(origin))
    } catch (error) {
      const { message, code } = error as NodeJS.ErrnoException
      const what = `${isWrite ? 'write' : 'read'}: ${code ?? message}`
      result.failures[what] = (result.failures[what] ?? 0) + 1
    }
  }
}

async function createCustomer(pool: Pool, token: string): Promise<string> {
  const email = `rolling-${randomUUID()}@example.com`
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': randomUUID() }
  const request = { method: 'POST', path: '/v1/customers/', headers, body: JSON.stringify({ email }) } as const
  await demand(201, await pool.request(request))
  return email
}

async function readOrder(pool: Pool, { token, orderId }: { token: string; orderId: string }): Promise<void> {
  await demand(200, await pool.request({ method: 'GET', path: `/v1/orders/${orderId}`, headers: { authorization: `Bearer ${token}` } }))
}

async function demand(wanted: number, { statusCode, body }: Awaited<ReturnType<Pool['request']>>): Promise<void> {
  const text = await body.text()
  if (statusCode !== wanted) throw new Error(`${statusCode} ${text}`)
}

/** Process that sends the requests of a steady load. It reports its start, and the results after the message to stop. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'undici'
import { startBalancer } from './balancer.ts'
import type { Outcome, SteadyLoad } from './steady-load.ts'

/** Connections to each replica, as balancers keep them. While all are busy, requests wait for the next free one. */
const maxConnections = 64

process.once('disconnect', () => process.exit())
const [load] = (await once(process, 'message')) as [SteadyLoad]
const stopMessage = once(process, 'message')
const outcome = await runLoad(load, stopMessage)
process.send?.(outcome)

async function runLoad({ origins, token, orderId, perSecond }: SteadyLoad, stopped: Promise<unknown>): Promise<Outcome> {
  const balancer = await startBalancer(origins, maxConnections)
  const pools = new Map(origins.map((origin) => [origin, new Pool(origin, { connections: maxConnections })]))
  const result: Outcome = { requestCount: 0, createdEmails: [], failures: {} }
  const running = new Set<Promise<void>>()
  let isStopped = false
  void stopped.then(() => (isStopped = true))
  process.send?.('begun')
  for (const startedAt = performance.now(); !isStopped; await pause(5)) {
    const due = Math.floor(((performance.now() - startedAt) / 1000) * perSecond)
    for (; result.requestCount < due; result.requestCount += 1) {
      const work = sendOne(result.requestCount % 10 === 0).finally(() => running.delete(work))
      running.add(work)
    }
  }
  await Promise.all(running)
  balancer.stop()
  return result

  async function sendOne(isWrite: boolean): Promise<void> {
    try {
      const origin = await balancer.acquire()
      const pool = pools.get(origin) as Pool
      const request = isWrite
        ? createCustomer(pool, token).then((email) => result.createdEmails.push(email))
        : readOrder(pool, { token, orderId })
      await request.finally(() => balancer.release(origin))
    } catch (error) {
      const { message, code } = error as NodeJS.ErrnoException
      const failure = `${isWrite ? 'write' : 'read'}: ${code ?? message}`
      result.failures[failure] = (result.failures[failure] ?? 0) + 1
    }
  }
}

async function createCustomer(pool: Pool, token: string): Promise<string> {
  const email = `rolling-${randomUUID()}@example.com`
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': randomUUID() }
  const request = { method: 'POST', path: '/v1/customers/', headers, body: JSON.stringify({ email }) } as const
  await assertStatus(201, await pool.request(request))
  return email
}

async function readOrder(pool: Pool, { token, orderId }: { token: string; orderId: string }): Promise<void> {
  await assertStatus(
    200,
    await pool.request({ method: 'GET', path: `/v1/orders/${orderId}`, headers: { authorization: `Bearer ${token}` } }),
  )
}

async function assertStatus(wanted: number, { statusCode, body }: Awaited<ReturnType<Pool['request']>>): Promise<void> {
  const text = await body.text()
  if (statusCode !== wanted) throw new Error(`${statusCode} ${text}`)
}

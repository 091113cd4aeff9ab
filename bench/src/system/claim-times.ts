import { randomUUID } from 'node:crypto'
import { readDueDeliveries, leaseQueues } from '@quittance/webhooks/queue/queue-store'
import { EndpointQueue, type LeasedQueueRow } from '@quittance/webhooks/queue/endpoint-queue'
import { createSystemSql } from '@quittance/sql/sql-runner'
import type { Execute } from '@quittance/sql/view'
import type { Client } from 'pg'
import { median } from '../statistics.ts'
import { inDatabase, makeDue, type Endpoints } from './deliveries.ts'

export interface ClaimTime {
  /** Waiting deliveries of all endpoints. */
  waiting: number
  takeMs: number
  readMs: number
}

const endpointsOfBacklog = 11_000
const backlogs = [10_000, 600_000]
const times = 15

/** Measures the cost of claiming deliveries, by the size of the backlog. The dispatcher of the system is kept from these endpoints. */
export async function claimTimes(url: string, endpoints: Endpoints): Promise<ClaimTime[]> {
  const found: ClaimTime[] = []
  const ids = await endpoints.copy(endpointsOfBacklog, 'http://127.0.0.1:9/')
  let waiting = 0
  for (const backlog of backlogs) {
    const { organizationId } = endpoints
    await leaseElsewhere(url, ids)
    const perEndpoint = Math.ceil((backlog - waiting) / ids.length)
    await makeDue(url, { endpoints: ids, perEndpoint, organizationId })
    waiting += perEndpoint * ids.length
    await inDatabase(url, (client) => client.query('vacuum analyze webhook_deliveries, webhook_lanes'))
    found.push({ waiting, ...(await inDatabase(url, measure)) })
  }
  return found
}

/** Leases the queues as if by another replica; the measurement rolls back. */
async function leaseElsewhere(url: string, ids: readonly string[]): Promise<void> {
  await inDatabase(url, (client) =>
    client.query(
      `update webhook_lanes set owner = gen_random_uuid(), leased_until = now() + interval '1 hour' where endpoint_id = any($1)`,
      [ids],
    ),
  )
}

async function measure(client: Client): Promise<{ takeMs: number; readMs: number }> {
  const execute: Execute = async ({ name, text }, values) => (await client.query({ name, text, values })).rows
  const systemSql = createSystemSql({ execute }, 'measures the claims of all endpoints')
  const context = { systemSql, leaseMs: 30_000 } as Parameters<typeof leaseQueues>[0]
  const taking: number[] = []
  const reading: number[] = []
  for (let time = 0; time < times; time += 1) {
    await client.query('begin')
    await client.query(`update webhook_lanes set owner = null, leased_until = null where leased_until > now() + interval '10 minutes'`)
    const taken = await timed(taking, () => leaseQueues(context, { owner: randomUUID(), proven: 0, unproven: 256 }))
    const requested = taken.slice(0, 50).map((queue: LeasedQueueRow) => ({
      queue: new EndpointQueue(queue, { maxInFlight: 10, until: 0 }),
      count: 1,
      started: [],
      omitted: [],
    }))
    await timed(reading, () => readDueDeliveries(context, requested))
    await client.query('rollback')
  }
  return { takeMs: median(taking), readMs: median(reading) }
}

async function timed<T>(into: number[], work: () => Promise<T>): Promise<T> {
  const from = performance.now()
  const result = await work()
  into.push(performance.now() - from)
  return result
}

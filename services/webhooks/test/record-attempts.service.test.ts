import { randomUUID } from 'node:crypto'
import type { JobContext } from '@quittance/runtime/handler'
import { createSystemSql } from '@quittance/sql/sql-runner'
import { cloneDatabase, connectTo } from '@quittance/testing/database'
import type { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { database } from '../src/database.ts'
import type { AttemptOutcome } from '../src/http/post-webhook.ts'
import { deliveryKey, EndpointQueue, type DueDelivery } from '../src/queue/endpoint-queue.ts'
import { recordAttempts } from '../src/queue/record-attempts.ts'

const retries = { schedule: [60], basePauseMs: 30_000 }
const succeeded: AttemptOutcome = { status: 200, reason: null, excerpt: '', retryAfter: null, durationMs: 1 }
const failed: AttemptOutcome = { ...succeeded, status: 500, reason: 'http_status' }

let cloned: Awaited<ReturnType<typeof cloneDatabase>>
let client: Client
beforeAll(async () => {
  cloned = await cloneDatabase('webhooks', database)
  client = await connectTo(cloned.url)
  // Endpoints and events do not matter here.
  await client.query('set session_replication_role = replica')
})
afterAll(async () => {
  await client.end()
  await cloned.drop()
})

const execute = async ({ text }: { text: string }, values: unknown[]) => (await client.query(text, values)).rows
const record = (batch: Parameters<typeof recordAttempts>[1]) =>
  recordAttempts({ systemSql: createSystemSql({ execute: execute as never }, 'a test') } as JobContext, batch)

/** Creates a leased queue with one pending delivery per event. */
async function createQueue(epoch: number, events: number) {
  const endpointId = randomUUID()
  await client.query('insert into webhook_lanes (endpoint_id, epoch) values ($1, $2)', [endpointId, epoch])
  const due: DueDelivery[] = []
  for (let event = 0; event < events; event += 1) {
    const [row] = await execute(
      {
        text: `insert into webhook_deliveries (event_id, endpoint_id, occurred_at, aggregate_id, event_type, status, next_attempt_at)
          values (gen_random_uuid(), $1, now(), gen_random_uuid(), 'order.paid', 'pending', now())
          returning *, occurred_at::text, gen_random_uuid() as organization_id`,
      },
      [endpointId],
    )
    due.push(row)
  }
  const lease = (at: number) =>
    new EndpointQueue(
      { endpoint_id: endpointId, epoch: String(at), is_proven: false, trips: 0, failures: 0, failed_events: [] },
      { maxInFlight: 10, until: Infinity },
    )
  return { endpointId, due, lease }
}

/** A result that could not be stored for a while. */
const endedBefore = (seconds: number) => ({ endedAtUs: Math.floor(performance.now() * 1000) - seconds * 1_000_000 })

const readAttempts = async (endpointId: string) =>
  (await client.query('select *, created_at::text as at from webhook_attempts where endpoint_id = $1 order by created_at', [endpointId]))
    .rows

const readQueue = async (endpointId: string) =>
  (
    await client.query(
      `select trips, failures, last_success_at between now() - interval '61 seconds' and now() - interval '59 seconds' as has_success_a_minute_ago,
         failing_since between now() - interval '31 seconds' and now() - interval '29 seconds' as fails_for_half_a_minute
       from webhook_lanes where endpoint_id = $1`,
      [endpointId],
    )
  ).rows[0]

test('discards a result of a lost lease beside one of the next lease of the same replica', async () => {
  const { endpointId, due, lease } = await createQueue(2, 2)
  const [lost, current] = [lease(1), lease(2)]
  const [late, next] = due as [DueDelivery, DueDelivery]
  const batch = [current.complete(next, succeeded, retries), lost.complete(late, failed, retries)]
  expect(await record(batch)).toEqual(new Set([deliveryKey(next)]))
  expect(await readAttempts(endpointId)).toMatchObject([{ event_id: next.event_id, succeeded: true }])
  const { rows } = await client.query('select status, attempts from webhook_deliveries where endpoint_id = $1 order by position', [
    endpointId,
  ])
  expect(rows).toEqual([
    { status: 'pending', attempts: 0 },
    { status: 'succeeded', attempts: 1 },
  ])
  expect(await readQueue(endpointId)).toMatchObject({ failures: 0 })
})

test('stores the age of a result by the clock of the database, not by that of the replica', async () => {
  const { endpointId, due, lease } = await createQueue(1, 2)
  const queue = lease(1)
  const [first, second] = due as [DueDelivery, DueDelivery]
  await record([{ ...queue.complete(first, succeeded, retries), ...endedBefore(60) }])
  await record([{ ...queue.complete(second, failed, retries), ...endedBefore(30) }])
  expect(await readQueue(endpointId)).toMatchObject({ has_success_a_minute_ago: true, fails_for_half_a_minute: true })
  expect((await readAttempts(endpointId)).map(({ event_id }) => event_id)).toEqual([first.event_id, second.event_id])
})

test('counts the failures of an endpoint from now on if they were stored as beginning in the future', async () => {
  const { endpointId, due, lease } = await createQueue(1, 2)
  const queue = lease(1)
  const [first, second] = due as [DueDelivery, DueDelivery]
  await client.query(`update webhook_lanes set failing_since = now() + interval '400 days' where endpoint_id = $1`, [endpointId])
  await record([{ ...queue.complete(first, failed, retries), ...endedBefore(30) }])
  await record([queue.complete(second, failed, retries)])
  expect(await readQueue(endpointId)).toMatchObject({ fails_for_half_a_minute: true })
})

test('stores attempts that end at the same instant in their order, each with a separate time', async () => {
  const { endpointId, due, lease } = await createQueue(1, 50)
  const queue = lease(1)
  await record(due.map((each) => queue.complete(each, succeeded, retries)).toReversed())
  const attempts = await readAttempts(endpointId)
  expect(new Set(attempts.map(({ at }) => at)).size).toBe(50)
  expect(attempts.map(({ event_id }) => event_id)).toEqual(due.map(({ event_id }) => event_id))
})

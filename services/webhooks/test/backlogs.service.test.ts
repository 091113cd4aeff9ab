/** Endpoints that are disabled or deleted while many deliveries wait for them: other endpoints notice nothing of it. */
import { randomUUID } from 'node:crypto'
import { orderPaid } from '@quittance/contracts/orders'
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  getWebhookEndpoint,
  recoverWebhookEndpoint,
  updateWebhookEndpoint,
  webhookEndpointDisabled,
} from '@quittance/contracts/webhooks'
import { organizationCaller } from '@quittance/testing/callers'
import { startEndpointSink } from '@quittance/testing/endpoint-sink'
import { eventually } from '@quittance/testing/eventually'
import { recordStatements } from '@quittance/testing/record-statements'
import { expect, test } from 'vitest'
import { readEventId } from './delivery-assertions.ts'
import { startWebhooks, type TestWebhooks } from './start-webhooks.ts'

process.env['FAILING_WARN_AFTER_S'] = '3600'
process.env['FAILING_DISABLE_AFTER_S'] = '7200'

/** More than two batches. */
const backlogSize = 1_200

interface Backlog {
  status?: 'pending' | 'held' | 'failed' | 'succeeded'
  count?: number
  /** SQL of the time at which pending ones are due. */
  dueAt?: string
}

/** Adds deliveries of past events to an endpoint and returns the ids of their events in order. */
async function addBacklog(webhooks: TestWebhooks, endpointId: string, { status = 'pending', count = backlogSize, dueAt }: Backlog = {}) {
  const rows = await webhooks.rows<{ id: string }>(
    `with event as (
       insert into webhook_events (id, occurred_at, organization_id, type, aggregate_id, payload)
       select gen_random_uuid(), date_trunc('milliseconds', now()) - interval '1 hour' + n * interval '1 millisecond', $2, 'order.paid',
         gen_random_uuid(), '{"type":"order.paid"}'
       from generate_series(1, $3::int) n returning *)
     insert into webhook_deliveries (event_id, endpoint_id, occurred_at, created_at, aggregate_id, event_type, status, next_attempt_at)
     select id, $1, occurred_at, occurred_at, aggregate_id, type, $4, case when $4 = 'pending' then ${dueAt ?? `now() + interval '1 hour'`} end
     from event order by occurred_at
     returning event_id as id`,
    [endpointId, webhooks.organizationId, count, status],
  )
  return rows.map(({ id }) => id)
}

/** Locks waiting deliveries of an endpoint, so that they cannot be held until the returned function is called. */
const lockBacklog = (webhooks: TestWebhooks, endpointId: string, count = backlogSize) =>
  webhooks.holdTransaction(`select from webhook_deliveries where event_id in (
    select event_id from webhook_deliveries where endpoint_id = '${endpointId}' and status = 'pending' and next_attempt_at > now() limit ${count}) for update`)

/** Makes every statement fail that changes a table for these endpoints. Returns a function that ends it. */
async function failChanges(webhooks: TestWebhooks, { table, key, when }: { table: string; key: string; when: string }, ids: string[]) {
  await webhooks.rows(`create function fail() returns trigger language plpgsql as $$ begin raise exception 'not possible'; end $$`)
  const list = ids.map((id) => `'${id}'`).join(', ')
  await webhooks.rows(
    `create trigger fail before update on ${table} for each row when (${when} and new.${key} in (${list})) execute function fail()`,
  )
  return () => webhooks.rows(`drop trigger fail on ${table}`)
}

/** Adds ten failed events to every endpoint. */
const addFailedAttempts = ({ rows, organizationId }: TestWebhooks) =>
  rows(
    `insert into webhook_attempts (created_at, organization_id, endpoint_id, event_id, occurred_at, event_type, round, number, succeeded, reason, duration_ms)
     select now(), $1, endpoint_id, gen_random_uuid(), now(), 'order.paid', 1, 1, false, 'timeout', 1
     from webhook_lanes, generate_series(1, 10)`,
    [organizationId],
  )

async function countStatuses(webhooks: TestWebhooks, endpointId: string): Promise<Record<string, number>> {
  const rows = await webhooks.rows<{ status: string; count: number }>(
    'select status, count(*)::int as count from webhook_deliveries where endpoint_id = $1 group by status',
    [endpointId],
  )
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}

/** An endpoint of another organization, and a function that sends it an event and waits for the POST. */
async function createNeighbour(webhooks: TestWebhooks, url: string) {
  const organizationId = randomUUID()
  const caller = organizationCaller(organizationId)
  const { id } = await webhooks.call(createWebhookEndpoint, { url, format: 'raw', events: ['order.paid'] }, caller)
  return { id, organizationId, publishEvent: async () => (await webhooks.publishEvents([orderPaid], { organizationId }))[0] ?? '' }
}

test('disables on 410 at once while the backlog cannot be held; others get their events', async () => {
  await using webhooks = await startWebhooks()
  await using gone = await startEndpointSink()
  await using sink = await startEndpointSink()
  gone.respondWith(() => ({ status: 410 }))
  const { id } = await webhooks.endpoint({ url: gone.url })
  const neighbour = await createNeighbour(webhooks, sink.url)
  await addBacklog(webhooks, id)
  const release = await lockBacklog(webhooks, id, 10)
  await webhooks.publishEvents([orderPaid])
  // Longer than a statement may wait for a lock.
  await eventually(async () => expect(await webhooks.call(getWebhookEndpoint, { id }, webhooks.caller)).toMatchObject({ enabled: false }), {
    withinMs: 5_000,
  })
  expect(await webhooks.nextEvent(webhookEndpointDisabled)).toMatchObject({ endpoint: { id, disabled_reason: 'gone' } })
  const eventId = await neighbour.publishEvent()
  await eventually(() => expect(sink.received.map(readEventId)).toContain(eventId))
  await eventually(async () => expect(await countStatuses(webhooks, id)).toEqual({ failed: 1, held: backlogSize - 10, pending: 10 }))
  await release()
  await webhooks.rows(`notify wake, 'hold-backlogs'`)
  await eventually(async () => expect(await countStatuses(webhooks, id)).toEqual({ failed: 1, held: backlogSize }))
  expect(gone.received).toHaveLength(1)
})

test('retries to disable after a 410; sends it nothing until then, and to others at once', async () => {
  await using webhooks = await startWebhooks()
  await using gone = await startEndpointSink()
  await using sink = await startEndpointSink()
  gone.respondWith(() => ({ status: 410 }))
  const { id } = await webhooks.endpoint({ url: gone.url })
  const neighbour = await createNeighbour(webhooks, sink.url)
  const end = await failChanges(webhooks, { table: 'webhook_endpoints', key: 'id', when: 'new.disabled_at is not null' }, [id])
  await webhooks.publishEvents([orderPaid])
  await eventually(async () => expect(await countStatuses(webhooks, id)).toEqual({ failed: 1 }))
  await webhooks.publishEvents([orderPaid])
  for (let count = 1; count <= 20; count++) {
    const eventId = await neighbour.publishEvent()
    await eventually(() => expect(sink.received.map(readEventId)).toContain(eventId))
  }
  await eventually(async () => expect(await countStatuses(webhooks, id)).toEqual({ failed: 1, pending: 1 }))
  await end()
  await eventually(async () => expect(await webhooks.call(getWebhookEndpoint, { id }, webhooks.caller)).toMatchObject({ enabled: false }))
  await eventually(async () => expect(await countStatuses(webhooks, id)).toEqual({ failed: 1, held: 1 }))
  expect(gone.received).toHaveLength(1)
})

test('enabling sends nothing that waited before, but new events; a recovery sends the rest', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  const { id } = await webhooks.endpoint({ url: sink.url })
  const since = new Date(Date.now() - 7_200_000).toISOString()
  await addBacklog(webhooks, id)
  const release = await lockBacklog(webhooks, id)
  await webhooks.call(updateWebhookEndpoint, { id, enabled: false }, webhooks.caller)
  await webhooks.call(updateWebhookEndpoint, { id, enabled: true }, webhooks.caller)
  await addBacklog(webhooks, id, { count: 10, dueAt: 'now()' })
  // Waits for a batch of the job that began before they were added, and would not hold them.
  await webhooks.rows('select from webhook_backlogs where endpoint_id = $1 for update', [id])
  const [eventId = ''] = await webhooks.publishEvents([orderPaid])
  await webhooks.call(recoverWebhookEndpoint, { id, since, until: new Date(Date.now() - 60_000).toISOString() }, webhooks.caller)
  await release()
  await webhooks.rows(`notify wake, 'hold-backlogs'`)
  await eventually(async () => expect(await countStatuses(webhooks, id)).toEqual({ succeeded: backlogSize + 11 }))
  const ids = sink.received.map(readEventId)
  expect(ids).toHaveLength(backlogSize + 11)
  expect(ids).toContain(eventId)
  // The recovery sent them, and not the endpoint queue, which sends first rounds.
  expect(await webhooks.rows('select from webhook_deliveries where endpoint_id = $1 and round = 2', [id])).toHaveLength(backlogSize + 10)
})

test('deletes at once, and then cancels all pending and held deliveries', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  const { id } = await webhooks.endpoint({ url: sink.url })
  await addBacklog(webhooks, id, { status: 'held' })
  await addBacklog(webhooks, id, { status: 'failed' })
  await addBacklog(webhooks, id)
  const release = await lockBacklog(webhooks, id)
  await webhooks.call(deleteWebhookEndpoint, { id }, webhooks.caller)
  await release()
  await webhooks.rows(`notify wake, 'hold-backlogs'`)
  await eventually(async () => expect(await countStatuses(webhooks, id)).toEqual({ failed: backlogSize, cancelled: 2 * backlogSize }))
  await eventually(async () => expect(await webhooks.rows('select from webhook_backlogs')).toEqual([]))
  expect(sink.received).toHaveLength(0)
})

test('disables the other failing endpoints when some of them cannot be disabled', async () => {
  await using webhooks = await startWebhooks()
  const ids: string[] = []
  for (let index = 0; index < 4; index++) ids.push((await webhooks.endpoint({ url: 'https://example.com/' })).id)
  const [first = '', second = '', third = '', last = ''] = ids
  await failChanges(webhooks, { table: 'webhook_endpoints', key: 'id', when: 'new.disabled_at is not null' }, [first, second, third])
  await addFailedAttempts(webhooks)
  await webhooks.rows(`update webhook_lanes set failing_since = now() - interval '3 hours', warned_at = now()`)
  await webhooks.rows(`notify wake, 'watch-failing'`)
  expect(await webhooks.nextEvent(webhookEndpointDisabled)).toMatchObject({ endpoint: { id: last, disabled_reason: 'failing' } })
})

test('disables no endpoint that has recovered since the failing ones were listed', async () => {
  await using webhooks = await startWebhooks()
  for (let index = 0; index < 2; index++) await webhooks.endpoint({ url: 'https://example.com/' })
  await addFailedAttempts(webhooks)
  // The other endpoint succeeds while the first one is disabled.
  await webhooks.rows(
    `create function succeed() returns trigger language plpgsql as $$ begin
       update webhook_lanes set failing_since = null, warned_at = null where endpoint_id <> new.id; return new; end $$`,
  )
  await webhooks.rows(
    `create trigger succeed after update on webhook_endpoints for each row when (new.disabled_at is not null) execute function succeed()`,
  )
  await webhooks.rows(`update webhook_lanes set failing_since = now() - interval '3 hours', warned_at = now()`)
  await webhooks.rows(`notify wake, 'watch-failing'`)
  const first = await webhooks.nextEvent(webhookEndpointDisabled)
  await webhooks.rows(`notify wake, 'watch-failing'`)
  await eventually(async () => expect(await webhooks.rows('select from webhook_backlogs')).toEqual([]))
  expect(await webhooks.rows('select id from webhook_endpoints where disabled_at is not null')).toEqual([{ id: first.endpoint.id }])
})

test('continues the recoveries of other endpoints while the oldest one fails', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  const since = new Date(Date.now() - 7_200_000).toISOString()
  const [failing, other] = [await webhooks.endpoint({ url: sink.url }), await webhooks.endpoint({ url: sink.url })]
  const missed = await addBacklog(webhooks, failing.id, { status: 'held', count: 3 })
  await addBacklog(webhooks, other.id, { status: 'held', count: 3 })
  const end = await failChanges(webhooks, { table: 'webhook_deliveries', key: 'endpoint_id', when: `new.status = 'pending'` }, [failing.id])
  await webhooks.call(recoverWebhookEndpoint, { id: failing.id, since }, webhooks.caller)
  await webhooks.call(recoverWebhookEndpoint, { id: other.id, since }, webhooks.caller)
  await eventually(async () => expect(await countStatuses(webhooks, other.id)).toEqual({ succeeded: 3 }))
  expect(await countStatuses(webhooks, failing.id)).toEqual({ held: missed.length })
  await end()
  await webhooks.rows(`notify wake, 'recover-missed'`)
  await eventually(async () => expect(await countStatuses(webhooks, failing.id)).toEqual({ succeeded: 3 }))
})

test('reads each batch from an index when the statistics know nothing of the backlog', async () => {
  using statements = recordStatements()
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  const { id } = await webhooks.endpoint({ url: sink.url })
  const since = new Date(Date.now() - 7_200_000).toISOString()
  await addBacklog(webhooks, id, { status: 'succeeded', count: 20_000 })
  await webhooks.rows('analyze')
  await addBacklog(webhooks, id, { count: 10 })
  await webhooks.call(updateWebhookEndpoint, { id, enabled: false }, webhooks.caller)
  await webhooks.call(updateWebhookEndpoint, { id, enabled: true }, webhooks.caller)
  await webhooks.call(recoverWebhookEndpoint, { id, since }, webhooks.caller)
  await eventually(async () => expect(await countStatuses(webhooks, id)).toEqual({ succeeded: 20_010 }))
  await addBacklog(webhooks, id, { count: 10, status: 'held' })
  await webhooks.call(deleteWebhookEndpoint, { id }, webhooks.caller)
  await eventually(async () => expect(await countStatuses(webhooks, id)).toEqual({ succeeded: 20_010, cancelled: 10 }))
  await webhooks.rows(`create function explain_with(settings text, statement text) returns setof text language plpgsql as $$
    begin execute settings; return query execute 'explain ' || statement; end $$`)
  for (const words of [`next_attempt_at, position, coalesce`, `status = 'held' as is_waiting`, 'with missed as']) {
    const values = [statements.find('enable_sort'), statements.findWithValues(words)]
    const lines = await webhooks.rows<{ line: string }>('select explain_with($1, $2) as line', values)
    const plan = lines.map(({ line }) => line).join('\n')
    expect(plan).toMatch(/->  Limit .*\n *->  (Merge Append|Index Scan)/)
    expect(plan).not.toMatch(/Hash Join|Merge Join|Materialize|Seq Scan on webhook_deliveries/)
  }
})

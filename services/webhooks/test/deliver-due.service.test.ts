import { randomUUID } from 'node:crypto'
import { orderCreated, orderPaid } from '@quittance/contracts/orders'
import { eventStream } from '@quittance/contracts/streams'
import { deleteWebhookEndpoint, getWebhookEndpoint, updateWebhookEndpoint } from '@quittance/contracts/webhooks'
import { startEndpointSink, type EndpointSink, type ReceivedRequest } from '@quittance/testing/endpoint-sink'
import { eventually } from '@quittance/testing/eventually'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { anOrder } from './order-payload.ts'
import { startWebhooks, paidOrderEvents, type TestWebhooks } from './start-webhooks.ts'

const typeOf = ({ body }: ReceivedRequest) => (JSON.parse(body) as { type: string }).type
const readEventId = ({ headers }: ReceivedRequest) => headers['webhook-id']
const asHeaders = ({ headers }: ReceivedRequest) => headers as Record<string, string>

test('delivers an event once, signed, with the payload exactly as its owner published it', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  const endpoint = await webhooks.endpoint({ url: sink.url })
  const [id] = await webhooks.publishEvents([orderPaid])
  const [attempt] = await webhooks.attempts(endpoint, 1)
  const [post] = sink.received as [ReceivedRequest]
  expect(sink.received).toHaveLength(1)
  expect(readEventId(post)).toBe(id)
  expect(post.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'Quittance-Webhooks/1' })
  expect(new Webhook(endpoint.secret).verify(post.body, asHeaders(post))).toMatchObject({
    type: 'order.paid',
    data: { billing_name: 'Zofia Łukasiewicz & Synowie' },
  })
  expect(new Webhook(Buffer.from(endpoint.secret).toString('base64')).verify(post.body, asHeaders(post))).toBeTruthy()
  expect(post.body).toMatch(/^\{"type":"order\.paid","timestamp":"\d{4}-[^"]+Z","data":\{"id":/)
  expect(attempt).toMatchObject({
    http_code: 200,
    succeeded: true,
    webhook_event: { id, succeeded: true, last_http_code: 200, payload: post.body },
  })
})

test('delivers created, updated and paid in order for many orders at once', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  await webhooks.endpoint({ url: sink.url })
  const orders = await Promise.all(Array.from({ length: 20 }, () => webhooks.publishEvents(paidOrderEvents)))
  await eventually(() => expect(sink.received).toHaveLength(60))
  for (const ids of orders) {
    expect(sink.received.map(readEventId).filter((id) => ids.includes(id as string))).toEqual(ids)
  }
  await eventually(async () => expect(await webhooks.statuses()).toEqual({ succeeded: 60 }))
})

test('delivers later events while the first attempt of an earlier one has failed', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  const failing = new Set(['order.created'])
  sink.respondWith((post) => ({ status: failing.has(typeOf(post)) ? 500 : 200, headers: { 'retry-after': '120' } }))
  const endpoint = await webhooks.endpoint({ url: sink.url })
  await webhooks.publishEvents(paidOrderEvents)
  await webhooks.attempts(endpoint, 3)
  expect(sink.received.map(typeOf)).toEqual(['order.created', 'order.updated', 'order.paid'])
  failing.clear()
  await webhooks.retryNow([endpoint])
  await webhooks.attempts(endpoint, 4)
  expect(typeOf(sink.received[3] as ReceivedRequest)).toBe('order.created')
})

test('retries with the same id and body and a new signature until the schedule is exhausted', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  sink.respondWith(() => ({ status: 500, body: 'down' }))
  const endpoint = await webhooks.endpoint({ url: sink.url })
  await webhooks.publishEvents([orderPaid])
  await eventually(async () => expect(await webhooks.statuses()).toEqual({ failed: 1 }))
  const attempts = await webhooks.attempts(endpoint, 4)
  expect(attempts.map(({ http_code, succeeded }) => [http_code, succeeded])).toEqual(Array.from({ length: 4 }, () => [500, false]))
  expect(attempts[0]?.webhook_event).toMatchObject({ succeeded: false, last_http_code: 500 })
  expect(sink.received).toHaveLength(4)
  expect(new Set(sink.received.map(readEventId)).size).toBe(1)
  expect(new Set(sink.received.map(({ body }) => body)).size).toBe(1)
  for (const post of sink.received) new Webhook(endpoint.secret).verify(post.body, asHeaders(post))
  expect(await webhooks.rows('select distinct reason, response_excerpt from webhook_attempts')).toEqual([
    { reason: 'http_status', response_excerpt: 'down' },
  ])
})

test('reports success after failed attempts and lists every attempt', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  sink.respondWith((_, count) => ({ status: count < 3 ? 503 : 204 }))
  const endpoint = await webhooks.endpoint({ url: sink.url })
  await webhooks.publishEvents([orderPaid])
  const attempts = await webhooks.attempts(endpoint, 3)
  expect(attempts.map(({ http_code }) => http_code)).toEqual([503, 503, 204])
  expect(attempts[0]?.webhook_event).toMatchObject({ succeeded: true, last_http_code: 204 })
})

test('waits for Retry-After', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  sink.respondWith(() => ({ status: 429, headers: { 'retry-after': '120' } }))
  const endpoint = await webhooks.endpoint({ url: sink.url })
  await webhooks.publishEvents([orderCreated])
  await webhooks.attempts(endpoint, 1)
  const rows = await webhooks.rows(
    `select status, round(extract(epoch from next_attempt_at - modified_at))::int as wait from webhook_deliveries`,
  )
  expect(rows).toEqual([{ status: 'pending', wait: 120 }])
})

test('fails without a status if no server listens, and never connects to a blocked address', async () => {
  await using webhooks = await startWebhooks()
  await using closedSink = await startEndpointSink()
  const endpoint = await webhooks.endpoint({ url: closedSink.url, events: ['order.created'] })
  const forced = await webhooks.endpoint({ url: closedSink.url, events: ['order.paid'] })
  await closedSink[Symbol.asyncDispose]()
  await webhooks.rows(`update webhook_endpoints set url = 'http://[::1]:9/' where id = $1`, [forced.id])
  await webhooks.publishEvents([orderCreated, orderPaid])
  expect((await webhooks.attempts(endpoint, 4))[0]).toMatchObject({
    http_code: null,
    succeeded: false,
    webhook_event: { last_http_code: null },
  })
  await webhooks.attempts(forced, 4)
  const reasons = await webhooks.rows('select distinct endpoint_id, reason from webhook_attempts order by reason')
  expect(reasons).toEqual([
    { endpoint_id: endpoint.id, reason: 'connection_failed' },
    { endpoint_id: forced.id, reason: 'destination_blocked' },
  ])
})

test('delivers only to endpoints that select the type; stores no event without a delivery', async () => {
  await using webhooks = await startWebhooks()
  await using wanting = await startEndpointSink()
  await using other = await startEndpointSink()
  const endpoint = await webhooks.endpoint({ url: wanting.url, events: ['order.paid'] })
  await webhooks.endpoint({ url: other.url, events: ['product.created'] })
  await webhooks.publishEvents(paidOrderEvents, { organizationId: randomUUID() })
  const ids = await webhooks.publishEvents(paidOrderEvents)
  await webhooks.attempts(endpoint, 1)
  expect(wanting.received.map(readEventId)).toEqual([ids[2]])
  expect(other.received).toHaveLength(0)
  expect(await webhooks.rows('select id from webhook_events')).toEqual([{ id: ids[2] }])
  expect(await webhooks.rows('select message_id from inbox_messages')).toEqual([{ message_id: ids[2] }])
})

test('creates one delivery for a republished event, even after its inbox row has expired', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  const endpoint = await webhooks.endpoint({ url: sink.url })
  const order = anOrder(webhooks.organizationId)
  const about = { organizationId: webhooks.organizationId, aggregateId: order.id, id: randomUUID(), occurredAt: new Date() }
  await webhooks.emit(orderPaid, order, about)
  await webhooks.attempts(endpoint, 1)
  await webhooks.rows('delete from inbox_messages')
  // The stream drops a message with a known id; a recreated stream does not know it.
  const streams = (await webhooks.connection.jetstreamManager()).streams
  await streams.update(eventStream.name, { duplicate_window: 100_000_000 })
  await eventually(async () => {
    await webhooks.emit(orderPaid, order, about)
    expect(await webhooks.rows('select from inbox_messages')).toHaveLength(1)
  })
  const [next] = await webhooks.publishEvents([orderPaid])
  await webhooks.attempts(endpoint, 2)
  expect(sink.received.map(readEventId)).toEqual([about.id, next])
})

test('does not send pending events of a deleted endpoint or an unselected type', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  sink.respondWith(() => ({ status: 500, headers: { 'retry-after': '120' } }))
  const deleted = await webhooks.endpoint({ url: sink.url, events: ['order.created'] })
  const narrowed = await webhooks.endpoint({ url: sink.url, events: ['order.created', 'order.paid'] })
  await webhooks.publishEvents([orderCreated])
  await Promise.all([webhooks.attempts(deleted, 1), webhooks.attempts(narrowed, 1)])
  await webhooks.call(deleteWebhookEndpoint, { id: deleted.id }, webhooks.caller)
  await webhooks.call(updateWebhookEndpoint, { id: narrowed.id, events: ['order.paid'] }, webhooks.caller)
  await webhooks.retryNow([deleted, narrowed])
  await eventually(async () => expect(await webhooks.statuses()).toEqual({ cancelled: 2 }))
  expect(sink.received).toHaveLength(2)
  expect((await webhooks.attempts(deleted, 1))[0]?.webhook_event).toMatchObject({ succeeded: false })
})

test('uses a new URL and a new secret from the next attempt on', async () => {
  await using webhooks = await startWebhooks()
  await using old = await startEndpointSink()
  await using moved = await startEndpointSink()
  old.respondWith(() => ({ status: 500, headers: { 'retry-after': '120' } }))
  const endpoint = await webhooks.endpoint({ url: old.url })
  await webhooks.publishEvents([orderPaid])
  await webhooks.attempts(endpoint, 1)
  await webhooks.call(updateWebhookEndpoint, { id: endpoint.id, url: moved.url, secret: 'hunter2' }, webhooks.caller)
  await webhooks.retryNow([endpoint])
  await webhooks.attempts(endpoint, 2)
  const [post] = moved.received as [ReceivedRequest]
  expect(new Webhook(Buffer.from('hunter2').toString('base64')).verify(post.body, asHeaders(post))).toMatchObject({ type: 'order.paid' })
  expect(old.received).toHaveLength(1)
})

test('sends to a new URL at once, whatever the old one returned; a late 410 of the old one disables nothing', async () => {
  await using webhooks = await startWebhooks()
  await using old = await startEndpointSink()
  await using moved = await startEndpointSink()
  const release = Promise.withResolvers<void>()
  old.respondWith(() => ({ status: 410, after: release.promise }))
  const endpoint = await webhooks.endpoint({ url: old.url })
  await webhooks.publishEvents([orderPaid])
  await eventually(() => expect(old.received).toHaveLength(1))
  await webhooks.rows(
    `update webhook_lanes set paused_until = now() + interval '1 hour', failing_since = now() - interval '4 days', trips = 5`,
  )
  await webhooks.call(updateWebhookEndpoint, { id: endpoint.id, url: moved.url }, webhooks.caller)
  release.resolve()
  await webhooks.attempts(endpoint, 1)
  await webhooks.publishEvents([orderPaid])
  await eventually(() => expect(moved.received).toHaveLength(1))
  expect(await webhooks.call(getWebhookEndpoint, { id: endpoint.id }, webhooks.caller)).toMatchObject({ enabled: true })
})

test('delivers to other endpoints while one hangs', async () => {
  await using webhooks = await startWebhooks()
  await using hanging = await startEndpointSink()
  await using healthy = await startEndpointSink()
  const release = Promise.withResolvers<void>()
  hanging.respondWith(() => ({ status: 200, after: release.promise }))
  const slow = await webhooks.endpoint({ url: hanging.url })
  const quick = await webhooks.endpoint({ url: healthy.url })
  await webhooks.publishEvents(paidOrderEvents)
  await webhooks.attempts(quick, 3)
  // Only one POST per order and endpoint is in progress, and its lease is renewed until it ends.
  expect(hanging.received.map(typeOf)).toEqual(['order.created'])
  await eventually(async () =>
    expect(
      await webhooks.rows(
        `select from webhook_lanes join webhook_deliveries using (endpoint_id) where leased_until > created_at + interval '3 seconds' and event_type = 'order.created' and status = 'pending'`,
      ),
    ).toHaveLength(1),
  )
  expect(hanging.received).toHaveLength(1)
  release.resolve()
  await webhooks.attempts(slow, 3)
  expect(hanging.received.map(typeOf)).toEqual(['order.created', 'order.updated', 'order.paid'])
})

test('finishes POSTs in progress and keeps pending deliveries when the service stops', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  const release = Promise.withResolvers<void>()
  sink.respondWith(() => ({ status: 200, after: release.promise }))
  const endpoint = await webhooks.endpoint({ url: sink.url })
  await webhooks.publishEvents(paidOrderEvents)
  await eventually(() => expect(sink.received).toHaveLength(1))
  const restarted = webhooks.restart()
  release.resolve()
  await restarted
  const attempts = await webhooks.attempts(endpoint, 3)
  expect(attempts.every(({ succeeded }) => succeeded)).toBe(true)
  expect(sink.received.map(typeOf)).toEqual(['order.created', 'order.updated', 'order.paid'])
})

test('discards a result that arrives after the queue lease was lost', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  const release = Promise.withResolvers<void>()
  sink.respondWith((_, count) => (count === 1 ? { status: 500, after: release.promise } : { status: 200 }))
  const endpoint = await webhooks.endpoint({ url: sink.url })
  await webhooks.publishEvents([orderPaid])
  await eventually(() => expect(sink.received).toHaveLength(1))
  await webhooks.rows(`update webhook_lanes set epoch = epoch + 1, owner = gen_random_uuid(), leased_until = now(), next_due_at = now()`)
  release.resolve()
  expect(await webhooks.attempts(endpoint, 1)).toMatchObject([{ http_code: 200, succeeded: true }])
  expect(sink.received).toHaveLength(2)
})

/** Publishes an event whose POST is in progress until `respond` is called. */
async function startPost(webhooks: TestWebhooks, sink: EndpointSink) {
  const release = Promise.withResolvers<void>()
  sink.respondWith(() => ({ status: 200, after: release.promise }))
  const endpoint = await webhooks.endpoint({ url: sink.url })
  await webhooks.publishEvents([orderPaid])
  await eventually(() => expect(sink.received).toHaveLength(1))
  return { endpoint, respond: () => release.resolve() }
}

async function expectOnePostPerEvent(
  webhooks: TestWebhooks,
  { sink, endpoint }: { sink: EndpointSink; endpoint: { id: string } },
): Promise<void> {
  expect(await webhooks.attempts(endpoint, 1)).toMatchObject([{ succeeded: true }])
  await webhooks.publishEvents([orderPaid])
  await webhooks.attempts(endpoint, 2)
  expect(sink.received).toHaveLength(2)
}

test('loses no event and sends no second POST when the database fails during a POST', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  const { endpoint, respond } = await startPost(webhooks, sink)
  await webhooks.rows(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
  respond()
  await expectOnePostPerEvent(webhooks, { sink, endpoint })
})

test('sends no second POST when its result waits for a lock for longer than a statement may', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  const { endpoint, respond } = await startPost(webhooks, sink)
  const unlock = await webhooks.holdTransaction('lock table webhook_attempts in share mode')
  respond()
  const findWaiting = () =>
    eventually(async () => {
      const [waiting] = await webhooks.rows<{ since: Date }>(
        `select a.query_start as since from pg_locks l join pg_stat_activity a using (pid)
         where not l.granted and l.relation = 'webhook_attempts'::regclass and a.datname = current_database() order by since desc limit 1`,
      )
      return waiting?.since.getTime() ?? Promise.reject(new Error('No statement waits for the lock'))
    })
  const first = await findWaiting()
  await eventually(async () => expect(await findWaiting()).toBeGreaterThan(first))
  await unlock()
  await expectOnePostPerEvent(webhooks, { sink, endpoint })
})

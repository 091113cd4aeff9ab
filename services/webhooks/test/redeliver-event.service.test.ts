import { randomUUID } from 'node:crypto'
import { RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import { orderPaid } from '@quittance/contracts/orders'
import { listWebhookDeliveries, redeliverWebhookEvent } from '@quittance/contracts/webhook-deliveries'
import {
  deleteWebhookEndpoint,
  recoverWebhookEndpoint,
  testWebhookEndpoint,
  updateWebhookEndpoint,
  WebhookEndpointDisabled,
} from '@quittance/contracts/webhooks'
import { organizationCaller } from '@quittance/testing/callers'
import { startEndpointSink } from '@quittance/testing/endpoint-sink'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { startWebhooks, paidOrderEvents } from './start-webhooks.ts'

const stranger = organizationCaller(randomUUID())

test('sends a succeeded event again with the same id and body', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  const endpoint = await webhooks.endpoint({ url: sink.url })
  const [id] = (await webhooks.publishEvents([orderPaid])) as [string]
  await webhooks.attempts(endpoint, 1)
  expect(await webhooks.call(redeliverWebhookEvent, { id }, webhooks.caller)).toBeNull()
  await webhooks.attempts(endpoint, 2)
  expect(sink.received.map(({ headers }) => headers['webhook-id'])).toEqual([id, id])
  expect(sink.received[1]?.body).toBe(sink.received[0]?.body)
})

test('starts a new set of attempts for a failed event', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  sink.respondWith((_, count) => ({ status: count <= 6 ? 500 : 200 }))
  const endpoint = await webhooks.endpoint({ url: sink.url })
  const [id] = (await webhooks.publishEvents([orderPaid])) as [string]
  await eventually(async () => expect(await webhooks.statuses()).toEqual({ failed: 1 }))
  await webhooks.call(redeliverWebhookEvent, { id }, webhooks.caller)
  const attempts = await webhooks.attempts(endpoint, 7)
  expect(attempts.at(-1)).toMatchObject({ http_code: 200, webhook_event: { succeeded: true } })
})

test('replaces a pending retry without doubling it, and waits for a POST in progress', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  const release = Promise.withResolvers<void>()
  sink.respondWith((_, count) =>
    count === 1 ? { status: 500, headers: { 'retry-after': '120' } } : { status: 200, ...(count === 2 && { after: release.promise }) },
  )
  const endpoint = await webhooks.endpoint({ url: sink.url })
  const [id] = (await webhooks.publishEvents([orderPaid])) as [string]
  await webhooks.attempts(endpoint, 1)
  await webhooks.call(redeliverWebhookEvent, { id }, webhooks.caller)
  await eventually(() => expect(sink.received).toHaveLength(2))
  await webhooks.call(redeliverWebhookEvent, { id }, webhooks.caller)
  expect(sink.received).toHaveLength(2)
  release.resolve()
  await webhooks.attempts(endpoint, 3)
  expect(await webhooks.statuses()).toEqual({ succeeded: 1 })
  expect(sink.received).toHaveLength(3)
})

test('sends nothing again to a deleted endpoint', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  await using other = await startEndpointSink()
  const endpoint = await webhooks.endpoint({ url: sink.url })
  const remaining = await webhooks.endpoint({ url: other.url })
  const [id] = (await webhooks.publishEvents([orderPaid])) as [string]
  await webhooks.attempts(endpoint, 1)
  await webhooks.attempts(remaining, 1)
  await webhooks.call(deleteWebhookEndpoint, { id: endpoint.id }, webhooks.caller)
  await webhooks.call(redeliverWebhookEvent, { id }, webhooks.caller)
  await webhooks.attempts(remaining, 2)
  expect(sink.received).toHaveLength(1)
})

test('sends an event again to the given endpoint only, and to all of its endpoints by default', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  const [one, other] = [await webhooks.endpoint({ url: sink.url }), await webhooks.endpoint({ url: sink.url })]
  const later = await webhooks.endpoint({ url: sink.url, events: ['product.created'] })
  const [id] = (await webhooks.publishEvents([orderPaid])) as [string]
  const redeliver = (endpoint?: { id: string }, caller = webhooks.caller) =>
    webhooks.call(redeliverWebhookEvent, { id, endpoint_id: endpoint?.id }, caller)
  await webhooks.attempts(one, 1)
  await webhooks.attempts(other, 1)
  await redeliver(one)
  await webhooks.attempts(one, 2)
  await webhooks.attempts(other, 1)
  await redeliver()
  await webhooks.attempts(one, 3)
  await webhooks.attempts(other, 2)
  await expect(redeliver(later)).rejects.toThrow(ResourceNotFound)
  await expect(redeliver({ id: randomUUID() })).rejects.toThrow(ResourceNotFound)
  await expect(redeliver(one, stranger)).rejects.toThrow(ResourceNotFound)
})

test('returns 409 if no endpoint of an event is enabled and selects its type', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  const [one, other] = [await webhooks.endpoint({ url: sink.url }), await webhooks.endpoint({ url: sink.url })]
  const [id] = (await webhooks.publishEvents([orderPaid])) as [string]
  await webhooks.attempts(one, 1)
  await webhooks.attempts(other, 1)
  const redeliver = (endpoint?: { id: string }) => webhooks.call(redeliverWebhookEvent, { id, endpoint_id: endpoint?.id }, webhooks.caller)
  await webhooks.call(updateWebhookEndpoint, { id: one.id, enabled: false }, webhooks.caller)
  await expect(redeliver(one)).rejects.toThrow(WebhookEndpointDisabled)
  await redeliver()
  await webhooks.attempts(other, 2)
  await webhooks.call(updateWebhookEndpoint, { id: other.id, events: ['product.created'] }, webhooks.caller)
  await expect(redeliver()).rejects.toThrow(WebhookEndpointDisabled)
  await webhooks.attempts(one, 1)
})

test('returns 404 for an unknown event and one of another organization', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  const endpoint = await webhooks.endpoint({ url: sink.url })
  const [id] = (await webhooks.publishEvents([orderPaid])) as [string]
  await webhooks.attempts(endpoint, 1)
  await expect(webhooks.call(redeliverWebhookEvent, { id: randomUUID() }, webhooks.caller)).rejects.toThrow(ResourceNotFound)
  await expect(webhooks.call(redeliverWebhookEvent, { id }, stranger)).rejects.toThrow(ResourceNotFound)
  expect(await webhooks.rows('select from webhook_deliveries where round > 1')).toHaveLength(0)
})

test('lists attempts newest first, by page, endpoint and time, to their organization only', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  const endpoint = await webhooks.endpoint({ url: sink.url })
  const silent = await webhooks.endpoint({ url: sink.url, events: ['product.created'] })
  await webhooks.publishEvents(paidOrderEvents)
  const attempts = await webhooks.attempts(endpoint, 3)
  const list = (request: object, caller = webhooks.caller) => webhooks.call(listWebhookDeliveries, request, caller)
  const ids = ({ items }: Awaited<ReturnType<typeof list>>) => items.map(({ id }) => id)
  const newestFirst = attempts.map(({ id }) => id).toReversed()
  expect(await list({ limit: 2 })).toMatchObject({ pagination: { total_count: 3, max_page: 2 } })
  expect(ids(await list({ limit: 2, page: 2 }))).toEqual(newestFirst.slice(2))
  expect(ids(await list({ endpoint_id: [endpoint.id, silent.id] }))).toEqual(newestFirst)
  expect(ids(await list({ endpoint_id: silent.id }))).toEqual([])
  const second = attempts[1] as { created_at: string }
  expect(ids(await list({ start_timestamp: second.created_at }))).toEqual(newestFirst.slice(0, 2))
  expect(ids(await list({ end_timestamp: second.created_at }))).toEqual(newestFirst.slice(2))
  expect(ids(await list({}, stranger))).toEqual([])
})

test('rejects a list after an unknown delivery or one of another organization', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  const endpoint = await webhooks.endpoint({ url: sink.url })
  await webhooks.publishEvents([orderPaid])
  const [attempt] = await webhooks.attempts(endpoint, 1)
  const after = attempt?.id ?? ''
  expect(await webhooks.call(listWebhookDeliveries, { after }, webhooks.caller)).toMatchObject({ items: [] })
  const unknown = webhooks.call(listWebhookDeliveries, { after: randomUUID() }, webhooks.caller)
  await expect(unknown).rejects.toThrow(RequestValidationError)
  await expect(webhooks.call(listWebhookDeliveries, { after }, stranger)).rejects.toThrow(RequestValidationError)
})

test('recovers missed events, never examples, which are sent once', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  sink.respondWith(() => ({ status: 400 }))
  const endpoint = await webhooks.endpoint({ url: sink.url })
  const { id } = endpoint
  const { event_id: example } = await webhooks.call(testWebhookEndpoint, { id, type: 'order.paid' }, webhooks.caller)
  const [missed] = (await webhooks.publishEvents([orderPaid])) as [string]
  await eventually(async () => expect(await webhooks.statuses()).toEqual({ failed: 2 }))
  sink.respondWith(() => ({ status: 200 }))
  sink.received.length = 0
  await webhooks.call(recoverWebhookEndpoint, { id, since: endpoint.created_at }, webhooks.caller)
  await eventually(async () => expect(await webhooks.rows('select from webhook_recoveries where ended_at is not null')).toHaveLength(1))
  await eventually(async () => expect((await webhooks.statuses())['pending']).toBeUndefined())
  expect(sink.received.map(({ headers }) => headers['webhook-id'])).toEqual([missed])
  expect(await webhooks.rows(`select event_id from webhook_deliveries where status = 'failed'`)).toEqual([{ event_id: example }])
})

test('recovers the events that wait for a retry at once, but no first attempt', async () => {
  process.env['RETRY_SCHEDULE_S'] = '3600'
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  const endpoint = await webhooks.endpoint({ url: sink.url })
  sink.respondWith(() => ({ status: 400 }))
  const ids = await webhooks.publishEvents(paidOrderEvents)
  const [attempted, retried, first] = ids as [string, string, string]
  await webhooks.attempts(endpoint, 3)
  await webhooks.rows(`update webhook_deliveries set attempts = 0 where event_id = $1`, [first])
  sink.respondWith(() => ({ status: 200 }))
  sink.received.length = 0
  await webhooks.call(recoverWebhookEndpoint, { id: endpoint.id, since: endpoint.created_at }, webhooks.caller)
  await eventually(async () => expect(await webhooks.statuses()).toEqual({ succeeded: 2, pending: 1 }))
  expect(sink.received.map(({ headers }) => headers['webhook-id'])).toEqual([attempted, retried])
})

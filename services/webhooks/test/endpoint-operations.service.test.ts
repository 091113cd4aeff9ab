import { randomUUID } from 'node:crypto'
import { RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import { orderPaid } from '@quittance/contracts/orders'
import { deliveryStatuses, listWebhookDeliveries } from '@quittance/contracts/webhook-deliveries'
import {
  createWebhookEndpoint,
  getWebhookEndpoint,
  getWebhookEndpointStats,
  maxWebhookEndpoints,
  testWebhookEndpoint,
  updateWebhookEndpoint,
  webhookEndpointDisabled,
  webhookEndpointFailing,
  WebhookEndpointDisabled,
  WebhookEndpointLimitReached,
} from '@quittance/contracts/webhooks'
import { isJuneEventType, webhookEventTypes } from '@quittance/contracts/webhook-event-types'
import { organizationCaller } from '@quittance/testing/callers'
import { startEndpointSink } from '@quittance/testing/endpoint-sink'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { expectSigned } from './delivery-assertions.ts'
import { startWebhooks, paidOrderEvents } from './start-webhooks.ts'

process.env['FAILING_WARN_AFTER_S'] = '3600'
process.env['FAILING_DISABLE_AFTER_S'] = '7200'
process.env['BREAKER_PAUSE_MS'] = '50'

const stranger = organizationCaller(randomUUID())

test('sends a signed example of any type once, with its own id', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  const { id, secret } = await webhooks.endpoint({ url: sink.url, events: ['product.created'] })
  for (const type of webhookEventTypes) {
    const { event_id } = await webhooks.call(testWebhookEndpoint, { id, type }, webhooks.caller)
    await eventually(() => expect(sink.received.at(-1)?.headers['webhook-id']).toBe(event_id))
  }
  expect(sink.received.map(({ body }) => JSON.parse(body).type)).toEqual([...webhookEventTypes])
  const known = sink.received.filter(({ body }) => isJuneEventType(JSON.parse(body).type))
  for (const post of known) expectSigned(post, secret)
  sink.respondWith(() => ({ status: 500 }))
  const { event_id } = await webhooks.call(testWebhookEndpoint, { id, type: 'order.paid' }, webhooks.caller)
  await eventually(async () =>
    expect(await webhooks.rows('select status, attempts from webhook_deliveries where event_id = $1', [event_id])).toEqual([
      { status: 'failed', attempts: 1 },
    ]),
  )
  const unknown = webhooks.call(testWebhookEndpoint, { id, type: 'order.lost' as never }, webhooks.caller)
  await expect(unknown).rejects.toThrow(RequestValidationError)
  await webhooks.call(updateWebhookEndpoint, { id, enabled: false }, webhooks.caller)
  await expect(webhooks.call(testWebhookEndpoint, { id, type: 'order.paid' }, webhooks.caller)).rejects.toThrow(WebhookEndpointDisabled)
  await expect(webhooks.call(testWebhookEndpoint, { id, type: 'order.paid' }, stranger)).rejects.toThrow(ResourceNotFound)
})

test('sends the example of every type as a message to a chat, also of one that is only noise there', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  const { id } = await webhooks.endpoint({ url: sink.url, format: 'slack' })
  for (const type of ['order.paid', 'subscription.updated'] as const) {
    const { event_id } = await webhooks.call(testWebhookEndpoint, { id, type }, webhooks.caller)
    await eventually(() => expect(sink.received.at(-1)?.headers['webhook-id']).toBe(event_id))
    expect(JSON.parse(sink.received.at(-1)?.body ?? '')).toMatchObject({ blocks: [{ text: { text: type } }, {}, {}] })
  }
})

test('limits an organization to twenty endpoints, also for concurrent requests', async () => {
  await using webhooks = await startWebhooks()
  const create = () => webhooks.call(createWebhookEndpoint, { url: 'https://example.com/', events: ['*'] }, webhooks.caller)
  const made = await Promise.allSettled(Array.from({ length: maxWebhookEndpoints + 5 }, create))
  const rejections = made.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
  expect(rejections).toHaveLength(5)
  for (const reason of rejections) expect(reason).toBeInstanceOf(WebhookEndpointLimitReached)
  await webhooks.call(createWebhookEndpoint, { url: 'https://example.com/', events: ['*'] }, stranger)
})

test('selects types by wildcard, sends messages to chats and omits noise there', async () => {
  await using webhooks = await startWebhooks()
  const sinks = await Promise.all(Array.from({ length: 5 }, () => startEndpointSink()))
  const [all, orders, products, slack, discord] = sinks as [
    (typeof sinks)[0],
    (typeof sinks)[0],
    (typeof sinks)[0],
    (typeof sinks)[0],
    (typeof sinks)[0],
  ]
  expect(await webhooks.endpoint({ url: all.url, events: ['*'] })).toMatchObject({ events: ['*'] })
  await webhooks.endpoint({ url: orders.url, events: ['order.*'] })
  await webhooks.endpoint({ url: products.url, events: ['product.*'] })
  await webhooks.endpoint({ url: slack.url, events: ['order.*'], format: 'slack' })
  await webhooks.endpoint({ url: discord.url, events: ['order.paid'], format: 'discord' })
  await webhooks.publishEvents(paidOrderEvents)
  await eventually(() => expect([all, orders, products, slack, discord].map(({ received }) => received.length)).toEqual([3, 3, 0, 3, 1]))
  expect(JSON.parse(slack.received[2]?.body ?? '')).toMatchObject({ blocks: [{ text: { text: 'order.paid' } }, {}, {}] })
  expect(slack.received[2]?.body).toContain('Zofia Łukasiewicz &amp; Synowie')
  expect(JSON.parse(discord.received[0]?.body ?? '')).toMatchObject({ embeds: [{ title: 'order.paid' }], allowed_mentions: { parse: [] } })
  expect(discord.received[0]?.body).toContain('42.00 USD')
  expect(discord.received[0]?.headers['webhook-signature']).toMatch(/^v1,/)
  for (const sink of sinks) await sink[Symbol.asyncDispose]()
})

test('warns, then disables, publishing each once; a success in between resets it [fault 41]', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  await using healing = await startEndpointSink()
  sink.respondWith(() => ({ status: 400 }))
  const failing = await webhooks.endpoint({ url: sink.url })
  const healed = await webhooks.endpoint({ url: healing.url })
  healing.respondWith((_, count) => ({ status: count === 1 ? 500 : 200 }))
  const anHourPasses = async () => {
    await webhooks.rows(`update webhook_lanes set failing_since = failing_since - interval '1 hour'`)
    await webhooks.rows(`notify wake, 'watch-failing'`)
  }
  for (let order = 0; order < 4; order++) await webhooks.publishEvents(paidOrderEvents)
  await eventually(async () => expect(await webhooks.statuses()).toEqual({ failed: 12, succeeded: 12 }))
  await anHourPasses()
  expect(await webhooks.nextEvent(webhookEndpointFailing)).toMatchObject({ endpoint: { id: failing.id, enabled: true } })
  await anHourPasses()
  expect(await webhooks.nextEvent(webhookEndpointDisabled)).toMatchObject({ endpoint: { id: failing.id, disabled_reason: 'failing' } })
  await webhooks.publishEvents([orderPaid])
  await eventually(async () =>
    expect(await webhooks.rows(`select from webhook_deliveries where endpoint_id = $1 and status = 'held'`, [failing.id])).toHaveLength(1),
  )
  expect(await webhooks.call(getWebhookEndpoint, { id: healed.id }, webhooks.caller)).toMatchObject({ enabled: true })
  const publishedSubjects = webhooks.publishedEvents
    .filter(({ subject }) => subject.startsWith('event.webhook_endpoint.'))
    .map(({ subject }) => subject)
  expect(publishedSubjects).toEqual([webhookEndpointFailing.subject, webhookEndpointDisabled.subject])
  await webhooks.call(updateWebhookEndpoint, { id: failing.id, enabled: true }, webhooks.caller)
  const stats = await webhooks.call(getWebhookEndpointStats, { id: failing.id }, webhooks.caller)
  expect(stats).toMatchObject({ succeeded: 0, attempts: 48, failed: 48, held: 1, waiting: 0, failing_since: null, last_success_at: null })
  expect(await webhooks.call(getWebhookEndpointStats, { id: healed.id }, webhooks.caller)).toMatchObject({ failed: 1, failing_since: null })
  await expect(webhooks.call(getWebhookEndpointStats, { id: failing.id }, stranger)).rejects.toThrow(ResourceNotFound)
})

test('failed examples do not disable an endpoint', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  sink.respondWith(() => ({ status: 400 }))
  const tested = await webhooks.endpoint({ url: sink.url, events: ['product.created'] })
  for (let example = 0; example < 12; example++) {
    await webhooks.call(testWebhookEndpoint, { id: tested.id, type: 'order.paid' }, webhooks.caller)
  }
  const failing = await webhooks.endpoint({ url: sink.url })
  for (let order = 0; order < 4; order++) await webhooks.publishEvents(paidOrderEvents)
  await eventually(async () => expect(await webhooks.statuses()).toEqual({ failed: 24 }))
  await webhooks.rows(`update webhook_lanes set failing_since = failing_since - interval '3 hours'`)
  await webhooks.rows(`notify wake, 'watch-failing'`)
  expect(await webhooks.nextEvent(webhookEndpointDisabled)).toMatchObject({ endpoint: { id: failing.id } })
  expect(await webhooks.call(getWebhookEndpoint, { id: tested.id }, webhooks.caller)).toMatchObject({ enabled: true })
})

test('filters deliveries by result, pages them by cursor and stays below the message limit', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  sink.respondWith((post) => ({ status: JSON.parse(post.body).type === 'order.paid' ? 404 : 200, body: 'ł'.repeat(8_000) }))
  await webhooks.endpoint({ url: sink.url })
  for (let order = 0; order < 9; order++) await webhooks.publishEvents(paidOrderEvents)
  await eventually(async () => expect(await webhooks.statuses()).toEqual({ succeeded: 18, failed: 9 }))
  const list = (request: object) => webhooks.call(listWebhookDeliveries, { limit: 100, ...request }, webhooks.caller)
  const counts = async (request: object) => (await list(request)).pagination.total_count
  expect(await counts({ succeeded: true })).toBe(18)
  expect(await counts({ http_code_class: '4xx' })).toBe(36)
  expect(await counts({ http_code_class: '5xx' })).toBe(0)
  expect(await counts({ status: 'failed' })).toBe(36)
  expect(await counts({ status: ['pending', 'held'] })).toBe(0)
  expect(await counts({ status: 'succeeded' })).toBe(18)
  expect(await counts({ status: ['succeeded', 'pending', 'held', 'cancelled'] })).toBe(18)
  expect(await counts({ status: ['failed', 'succeeded'] })).toBe(54)
  expect(await counts({ status: [...deliveryStatuses] })).toBe(54)
  expect(await counts({ event_type: ['order.created', 'order.updated'] })).toBe(18)
  const { items } = await list({})
  expect(items).toHaveLength(54)
  expect(await counts({ event_id: items[0]?.webhook_event.id ?? '' })).toBe(4)
  const seen: string[] = []
  for (let after: string | undefined; ;) {
    const page = await list({ limit: 20, ...(after && { after }) })
    if (page.items.length === 0) break
    seen.push(...page.items.map(({ id }) => id))
    after = seen.at(-1)
  }
  expect(seen).toEqual(items.map(({ id }) => id))
  await webhooks.rows(`update webhook_events set payload = '{"data":"' || repeat('"', 200000) || '"}'`)
  const large = await list({})
  expect(large.items[0]?.webhook_event).toMatchObject({ is_payload_cut: true })
  expect(JSON.stringify(large).length).toBeLessThan(1_000_000)
  expect((await list({ limit: 1 })).items[0]?.webhook_event).toMatchObject({ is_payload_cut: false })
})

test('dead-letters an unreadable message and delivers the following ones', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  const endpoint = await webhooks.endpoint({ url: sink.url })
  const jetstream = webhooks.connection.jetstream()
  await jetstream.publish(orderPaid.subject, Buffer.from('[]'), { msgID: randomUUID() })
  await jetstream.publish(orderPaid.subject, Buffer.from('{}'), { msgID: 'no id' })
  await webhooks.publishEvents(paidOrderEvents)
  await webhooks.attempts(endpoint, 3)
  const letters = await webhooks.rows<{ payload: Buffer }>('select payload from dead_letters order by created_at')
  expect(letters.map(({ payload }) => payload.toString())).toEqual(['[]', '{}'])
})

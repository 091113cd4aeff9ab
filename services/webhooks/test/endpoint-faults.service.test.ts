/** Faults of endpoints, numbered as in the design: one service for all of them, and real sockets as endpoints. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import { orderCreated, orderPaid, orderUpdated } from '@quittance/contracts/orders'
import { listWebhookDeliveries, redeliverWebhookEvent } from '@quittance/contracts/webhook-deliveries'
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  getWebhookEndpoint,
  recoverWebhookEndpoint,
  rotateWebhookSecret,
  updateWebhookEndpoint,
  webhookEndpointDisabled,
} from '@quittance/contracts/webhooks'
import { organizationCaller } from '@quittance/testing/callers'
import { startEndpointSink, type EndpointSink } from '@quittance/testing/endpoint-sink'
import { eventually } from '@quittance/testing/eventually'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { anOrder } from './order-payload.ts'
import { expectAllDelivered, readEventId } from './delivery-assertions.ts'
import { startWebhooks, paidOrderEvents, type TestWebhooks } from './start-webhooks.ts'

process.env['DELIVERY_TIMEOUT_MS'] = '1000'
// Ten attempts in total.
process.env['RETRY_SCHEDULE_S'] = '0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1'

let webhooks: TestWebhooks
beforeAll(async () => {
  webhooks = await startWebhooks()
})
afterAll(() => webhooks[Symbol.asyncDispose]())

const readType = ({ body }: { body: string }) => (JSON.parse(body) as { type: string }).type

/** A separate organization for every test, so that tests do not affect each other. */
function tenant() {
  const organizationId = randomUUID()
  const caller = organizationCaller(organizationId)
  return {
    organizationId,
    caller,
    endpoint: (url: string, more: object = {}) => webhooks.call(createWebhookEndpoint, { url, events: ['order.*'], ...more }, caller),
    publishEvents: (events: readonly (typeof paidOrderEvents)[number][]) => webhooks.publishEvents(events, { organizationId }),
    attempts: (count: number) =>
      eventually(async () => {
        const { items } = await webhooks.call(listWebhookDeliveries, { limit: 100 }, caller)
        expect(items.map(({ http_code, reason }) => http_code ?? reason)).toHaveLength(count)
        return items.toReversed()
      }),
    statuses: async (endpointId: string) =>
      (
        await webhooks.rows<{ status: string }>('select status from webhook_deliveries where endpoint_id = $1 order by position', [
          endpointId,
        ])
      ).map(({ status }) => status),
  }
}

/** A raw server whose response need not be HTTP. */
async function rawServer(behave: (socket: Socket, request: string) => void) {
  const sockets = new Set<Socket>()
  let connections = 0
  const server: Server = createServer((socket) => {
    connections += 1
    sockets.add(socket.on('error', () => {}))
    socket.once('data', (bytes) => behave(socket, bytes.toString()))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((closed) => server.close(closed))
    },
  }
}

test('times out on an endpoint that never responds, without delaying others [fault 21]', async () => {
  const { endpoint, publishEvents } = tenant()
  await using silent = await rawServer(() => {})
  await using sink = await startEndpointSink()
  const { id } = await endpoint(silent.url)
  const healthy = await endpoint(sink.url)
  const ids = await publishEvents(paidOrderEvents)
  await eventually(() => expect(sink.received).toHaveLength(3))
  expectAllDelivered(sink.received, { ids, secret: healthy.secret })
  const timedOut = `select min(duration_ms)::int as shortest from webhook_attempts where endpoint_id = $1 and reason = 'timeout'`
  // The shortest, because a busy machine may delay one.
  await eventually(async () => {
    const [{ shortest } = { shortest: null }] = await webhooks.rows<{ shortest: number | null }>(timedOut, [id])
    expect(shortest ?? Infinity).toBeLessThan(1_500)
    expect(shortest).toBeGreaterThanOrEqual(990)
  })
})

test('reads little of a 300 MB response, stores less and decides by its status [fault 24]', async () => {
  const { endpoint, publishEvents, attempts } = tenant()
  let written = 0
  await using huge = await rawServer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 300000000\r\n\r\n')
    const block = Buffer.alloc(65_536, 'x')
    const push = () => {
      while (!socket.destroyed && socket.write(block)) written += block.length
    }
    socket.on('drain', push)
    push()
  })
  const { id } = await endpoint(huge.url)
  await publishEvents([orderPaid])
  const [attempt] = await attempts(1)
  expect(attempt).toMatchObject({ http_code: 200, succeeded: true })
  expect(written).toBeLessThan(30_000_000)
  const [{ length } = { length: 0 }] = await webhooks.rows<{ length: number }>(
    'select length(response_excerpt) from webhook_attempts where endpoint_id = $1',
    [id],
  )
  expect(length).toBe(8192)
})

test('retries a reset, an empty reply, garbage and HTTP/0.9, each with its reason [fault 28]', async () => {
  const { endpoint, publishEvents, attempts } = tenant()
  const answers = [
    (socket: Socket) =>
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', () => setTimeout(() => socket.resetAndDestroy(), 20)),
    (socket: Socket) => socket.end(),
    (socket: Socket) => socket.end('hello there\r\n\r\n'),
    (socket: Socket) => socket.end('<html>old</html>'),
    (socket: Socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n'),
  ]
  await using odd = await rawServer((socket) => answers.shift()?.(socket))
  await endpoint(odd.url)
  await publishEvents([orderPaid])
  const seen = (await attempts(5)).map(({ http_code, reason }) => [http_code, reason])
  expect(seen).toEqual([
    [200, 'connection_reset'],
    [null, 'connection_reset'],
    [null, 'invalid_response'],
    [null, 'invalid_response'],
    [204, null],
  ])
})

test.each([301, 302, 307, 308])('treats a redirect (%i) as a failure and does not follow it [fault 29]', async (status) => {
  const { endpoint, publishEvents, attempts } = tenant()
  await using target = await startEndpointSink()
  await using sink = await startEndpointSink()
  const locations = [target.url, 'http://169.254.169.254/latest', sink.url]
  sink.respondWith((_, count) => (count > 3 ? { status: 200 } : { status, headers: { location: locations[count - 1] ?? '' } }))
  await endpoint(sink.url)
  await publishEvents([orderPaid])
  expect((await attempts(4)).map(({ http_code }) => http_code)).toEqual([status, status, status, 200])
  expect(target.received).toHaveLength(0)
  expect(sink.received).toHaveLength(4)
})

const forbiddenHosts = [
  '0.0.0.0',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '100.64.0.1',
  '169.254.169.254',
  '168.63.129.16',
  '[::1]',
  '[::7f00:1]',
  '[64:ff9b::7f00:1]',
  '[fd00:ec2::254]',
  'localhost.',
]

test('rejects a URL outside the internet, and never connects to a stored one [fault 30]', async () => {
  const { endpoint, publishEvents, attempts } = tenant()
  // 127.0.0.0/8 is allowed in tests; `endpoint-url.test.ts` covers its spellings.
  for (const host of forbiddenHosts) await expect(endpoint(`https://${host}/`)).rejects.toThrow(RequestValidationError)
  const { id } = await endpoint('https://example.com/')
  for (const [index, url] of ['http://[::1]:9/', 'http://169.254.169.254/latest', 'https://10.0.0.1/'].entries()) {
    await webhooks.rows('update webhook_endpoints set url = $2 where id = $1', [id, url])
    const [event] = (await publishEvents([orderPaid])) as [string]
    const before = index * 10
    await attempts(before + 10)
    const reasons = await webhooks.rows('select distinct reason from webhook_attempts where event_id = $1', [event])
    expect(reasons).toEqual([{ reason: 'destination_blocked' }])
    // All attempts at this URL have ended before the next one is set, and no lease has their count; the circuit breaker starts again.
    const leased = () => webhooks.rows('select from webhook_lanes where endpoint_id = $1 and owner is not null', [id])
    await eventually(async () => expect(await leased()).toEqual([]))
    await webhooks.rows(
      `update webhook_lanes set paused_until = null, trips = 0, failures = 0, failed_events = '{}' where endpoint_id = $1`,
      [id],
    )
  }
})

test('rejects plain http if only https is allowed [fault 36]', async () => {
  const { endpoint } = tenant()
  await expect(endpoint('http://example.com/')).rejects.toThrow(RequestValidationError)
})

test('disables on 410 at once, publishes it once and holds pending and new events [fault 37]', async () => {
  const { endpoint, publishEvents, attempts, caller, statuses, organizationId: own } = tenant()
  await using sink = await startEndpointSink()
  sink.respondWith(() => ({ status: 410 }))
  const { id } = await endpoint(sink.url)
  await publishEvents([orderCreated, orderUpdated])
  await attempts(1)
  await eventually(async () =>
    expect(await webhooks.call(getWebhookEndpoint, { id }, caller)).toMatchObject({ enabled: false, disabled_reason: 'gone' }),
  )
  await publishEvents([orderPaid])
  await eventually(async () => expect(await statuses(id)).toEqual(['failed', 'held', 'held']))
  expect(sink.received).toHaveLength(1)
  expect(await webhooks.nextEvent(webhookEndpointDisabled)).toMatchObject({ endpoint: { id, disabled_reason: 'gone' } })
  expect(
    webhooks.publishedEvents.filter(({ subject, organizationId }) => subject === webhookEndpointDisabled.subject && organizationId === own),
  ).toHaveLength(1)
})

test('waits for Retry-After in seconds or as a date, up to a day; ignores bad values [fault 38]', async () => {
  const { endpoint, publishEvents, caller } = tenant()
  await using sink = await startEndpointSink()
  const dated = new Date(Date.now() + 300_000).toUTCString()
  const retryAfterValues = ['120', dated, 'soon', '-5', String(10 * 365 * 86_400)]
  const byEvent = new Map<string, string>()
  sink.respondWith((post) => {
    const id = readEventId(post)
    if (!byEvent.has(id)) byEvent.set(id, retryAfterValues[byEvent.size] ?? '')
    return { status: 429, headers: { 'retry-after': byEvent.get(id) ?? '' } }
  })
  for (const [before] of retryAfterValues.entries()) {
    const { id } = await endpoint(sink.url, { events: ['order.paid'] })
    await publishEvents([orderPaid])
    await eventually(() => expect(byEvent.size).toBe(before + 1))
    // The response was sent; wait until its result is stored.
    await eventually(async () => expect(await webhooks.rows('select from webhook_attempts where endpoint_id = $1', [id])).not.toEqual([]))
    await webhooks.call(updateWebhookEndpoint, { id, events: ['order.refunded'] }, caller)
  }
  const waits = await webhooks.rows<{ event_id: string; wait: number | null }>(
    `select event_id, extract(epoch from next_attempt_at - modified_at)::float as wait from webhook_deliveries where event_id = any($1)`,
    [[...byEvent.keys()]],
  )
  const waitFor = (retryAfter: string) => waits.find(({ event_id }) => byEvent.get(event_id) === retryAfter)?.wait ?? 0
  expect(waitFor('120')).toBeCloseTo(120, 0)
  expect(waitFor(dated)).toBeGreaterThan(280)
  expect(waitFor(String(10 * 365 * 86_400))).toBeCloseTo(86_400, 0)
  expect(waitFor('soon')).toBeLessThan(1)
  expect(waitFor('-5')).toBeLessThan(1)
})

test('retries by the schedule until an attempt succeeds, then stops [fault 39]', async () => {
  const { endpoint, publishEvents, attempts, statuses } = tenant()
  await using sink = await startEndpointSink()
  sink.respondWith((_, count) => ({ status: count < 4 ? 500 : 200 }))
  const { id, secret } = await endpoint(sink.url)
  const ids = await publishEvents([orderPaid])
  const made = await attempts(4)
  expect(made.map(({ http_code }) => http_code)).toEqual([500, 500, 500, 200])
  expect(await statuses(id)).toEqual(['succeeded'])
  expect(await webhooks.rows('select attempts from webhook_deliveries where endpoint_id = $1', [id])).toEqual([{ attempts: 4 }])
  const gaps = sink.received.slice(1).map(({ at }, index) => at - (sink.received[index]?.at ?? 0))
  for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(75)
  expectAllDelivered(sink.received, { ids, secret })
})

test('makes exactly ten attempts at an endpoint that always fails [fault 40]', async () => {
  const { endpoint, publishEvents, attempts, statuses } = tenant()
  await using sink = await startEndpointSink()
  sink.respondWith(() => ({ status: 500 }))
  const { id } = await endpoint(sink.url)
  await publishEvents([orderPaid])
  await eventually(async () => expect(await statuses(id)).toEqual(['failed']))
  expect(await attempts(10)).toHaveLength(10)
  expect(sink.received).toHaveLength(10)
})

test('signs with both secrets during a rotation, newest first; then only the new one [fault 46]', async () => {
  const { endpoint, publishEvents, caller } = tenant()
  await using sink = await startEndpointSink()
  const before = await endpoint(sink.url)
  const during = await webhooks.call(rotateWebhookSecret, { id: before.id, expire_previous_in: 3_600 }, caller)
  expect(during.secret).not.toBe(before.secret)
  await publishEvents(paidOrderEvents)
  await eventually(() => expect(sink.received).toHaveLength(3))
  const verify = (secret: string, post = sink.received.at(-1)) =>
    new Webhook(secret).verify(post?.body ?? '', post?.headers as Record<string, string>)
  for (const post of sink.received) for (const { secret } of [before, during]) expect(verify(secret, post)).toBeTruthy()
  const [first = ''] = String(sink.received[0]?.headers['webhook-signature']).split(' ')
  const single = { ...(sink.received[0]?.headers as Record<string, string>), 'webhook-signature': first }
  expect(new Webhook(during.secret).verify(sink.received[0]?.body ?? '', single)).toBeTruthy()
  const after = await webhooks.call(
    rotateWebhookSecret,
    { id: before.id, secret: 'whsec_bXkgb3duIGNob2ljZSBvZiBhIHNlY3JldA==', expire_previous_in: 0 },
    caller,
  )
  await publishEvents([orderPaid])
  await eventually(() => expect(sink.received).toHaveLength(4))
  expect(verify(after.secret)).toBeTruthy()
  for (const { secret } of [before, during]) expect(() => verify(secret)).toThrow()
  const foreign = organizationCaller(randomUUID())
  await expect(webhooks.call(rotateWebhookSecret, { id: before.id }, foreign)).rejects.toThrow(ResourceNotFound)
})

test('retries at the new URL; sends nothing to a deleted endpoint or unselected type [fault 47]', async () => {
  const { endpoint, publishEvents, attempts, caller, statuses } = tenant()
  await using old = await startEndpointSink()
  await using moved = await startEndpointSink()
  old.respondWith(() => ({ status: 500, headers: { 'retry-after': '120' } }))
  const [changing, deleted, narrowed] = [await endpoint(old.url), await endpoint(old.url), await endpoint(old.url)]
  const ids = await publishEvents([orderPaid])
  await attempts(3)
  await webhooks.call(updateWebhookEndpoint, { id: changing.id, url: moved.url }, caller)
  await webhooks.call(deleteWebhookEndpoint, { id: deleted.id }, caller)
  await webhooks.call(updateWebhookEndpoint, { id: narrowed.id, events: ['product.*'] }, caller)
  await webhooks.retryNow([changing, deleted, narrowed])
  await attempts(4)
  await eventually(async () => expect(await statuses(narrowed.id)).toEqual(['cancelled']))
  await eventually(async () => expect(await statuses(deleted.id)).toEqual(['cancelled']))
  expect(old.received).toHaveLength(3)
  expectAllDelivered(moved.received, { ids, secret: changing.secret })
})

test('recovers the events of a disabled endpoint once each, in order of time [fault 48]', async () => {
  const { endpoint, publishEvents, caller, statuses } = tenant()
  await using sink = await startEndpointSink()
  const { id, secret } = await endpoint(sink.url)
  const since = new Date(Date.now() - 1_000).toISOString()
  await webhooks.call(updateWebhookEndpoint, { id, enabled: false }, caller)
  const ids: string[] = []
  for (let order = 0; order < 17; order++) ids.push(...(await publishEvents(paidOrderEvents)))
  await eventually(async () => expect(await statuses(id)).toEqual(Array.from({ length: 51 }, () => 'held')))
  await expect(webhooks.call(recoverWebhookEndpoint, { id, since }, caller)).rejects.toThrow('disabled')
  await webhooks.call(updateWebhookEndpoint, { id, enabled: true }, caller)
  await expect(webhooks.call(recoverWebhookEndpoint, { id, since, until: since }, caller)).rejects.toThrow(RequestValidationError)
  await expect(webhooks.call(recoverWebhookEndpoint, { id, since }, organizationCaller(randomUUID()))).rejects.toThrow(ResourceNotFound)
  expect(sink.received).toHaveLength(0)
  await webhooks.call(recoverWebhookEndpoint, { id, since }, caller)
  await eventually(async () => expect(await statuses(id)).toEqual(Array.from({ length: 51 }, () => 'succeeded')))
  expect(sink.received.map(readEventId)).toHaveLength(51)
  for (let order = 0; order < 17; order++) {
    const story = ids.slice(order * 3, order * 3 + 3)
    expect(sink.received.map(readEventId).filter((each) => story.includes(each))).toEqual(story)
  }
  expectAllDelivered(sink.received, { ids, secret })
})

test('delivers created, updated and paid of the same moment in this order [fault 51]', async () => {
  const { endpoint, publishEvents } = tenant()
  await using sink = await startEndpointSink()
  const { secret } = await endpoint(sink.url)
  const ids = await publishEvents(paidOrderEvents)
  await eventually(() => expect(sink.received).toHaveLength(3))
  expect(sink.received.map(readType)).toEqual(['order.created', 'order.updated', 'order.paid'])
  expectAllDelivered(sink.received, { ids, secret })
})

test('sends an oversized event with its id only, and the next one in full [fault 53]', async () => {
  const { endpoint, organizationId, publishEvents } = tenant()
  await using sink: EndpointSink = await startEndpointSink()
  await endpoint(sink.url)
  const order = { ...anOrder(organizationId), billing_name: 'x'.repeat(600_000) }
  await webhooks.emit(orderPaid, order, { organizationId, aggregateId: order.id })
  await eventually(() => expect(sink.received).toHaveLength(1))
  expect(JSON.parse(sink.received[0]?.body ?? '')).toMatchObject({ type: 'order.paid', data: { id: order.id } })
  expect(sink.received[0]?.body.length).toBeLessThan(1_000)
  await publishEvents(paidOrderEvents)
  await eventually(() => expect(sink.received).toHaveLength(4))
})

test('keeps secrets, deliveries and events of organizations with the same URL apart [fault 55]', async () => {
  const [one, other] = [tenant(), tenant()]
  await using sink = await startEndpointSink()
  const [first, second] = [await one.endpoint(sink.url), await other.endpoint(sink.url)]
  const ids = [await one.publishEvents([orderPaid]), await other.publishEvents([orderPaid])] as const
  await one.attempts(1)
  await other.attempts(1)
  for (const [index, { secret }] of [first, second].entries()) {
    expectAllDelivered(
      sink.received.filter((post) => readEventId(post) === ids[index]?.[0]),
      { ids: ids[index] ?? [], secret },
    )
  }
  await expect(webhooks.call(getWebhookEndpoint, { id: first.id }, other.caller)).rejects.toThrow(ResourceNotFound)
  await expect(webhooks.call(redeliverWebhookEvent, { id: ids[0][0] ?? '' }, other.caller)).rejects.toThrow(ResourceNotFound)
  const { items } = await webhooks.call(listWebhookDeliveries, { endpoint_id: first.id }, other.caller)
  expect(items).toEqual([])
})

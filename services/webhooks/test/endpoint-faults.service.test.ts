/** Faults of endpoints, by their numbers in the design: one service for all of them, real sockets at the other end. */
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
import { anOrder } from './an-order.ts'
import { demandAllDelivered, idOf } from './oracle.ts'
import { startWebhooks, wholeStory, type TestWebhooks } from './start-webhooks.ts'

process.env['DELIVERY_TIMEOUT_MS'] = '1000'
// Ten tries in all.
process.env['RETRY_SCHEDULE_S'] = '0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1'

let webhooks: TestWebhooks
beforeAll(async () => {
  webhooks = await startWebhooks()
})
afterAll(() => webhooks[Symbol.asyncDispose]())

const typeOf = ({ body }: { body: string }) => (JSON.parse(body) as { type: string }).type

/** Another organization for every test, so that one hears nothing of the other. */
function tenant() {
  const organizationId = randomUUID()
  const caller = organizationCaller(organizationId)
  return {
    organizationId,
    caller,
    endpoint: (url: string, more: object = {}) => webhooks.call(createWebhookEndpoint, { url, events: ['order.*'], ...more }, caller),
    tell: (events: readonly (typeof wholeStory)[number][]) => webhooks.tell(events, { organizationId }),
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

/** A raw server: what it says need not be HTTP. */
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

test('fault 21: an endpoint that never answers ends at the deadline, and others are not kept waiting', async () => {
  const { endpoint, tell } = tenant()
  await using silent = await rawServer(() => {})
  await using sink = await startEndpointSink()
  const { id } = await endpoint(silent.url)
  const healthy = await endpoint(sink.url)
  const ids = await tell(wholeStory)
  await eventually(() => expect(sink.received).toHaveLength(3))
  demandAllDelivered(sink.received, { ids, secret: healthy.secret })
  const timedOut = `select min(duration_ms)::int as shortest from webhook_attempts where endpoint_id = $1 and reason = 'timeout'`
  // The shortest: one may meet a machine that stands still.
  await eventually(async () => {
    const [{ shortest } = { shortest: null }] = await webhooks.rows<{ shortest: number | null }>(timedOut, [id])
    expect(shortest ?? Infinity).toBeLessThan(1_500)
    expect(shortest).toBeGreaterThanOrEqual(990)
  })
})

test('fault 24: of an answer of 300 MB little is read and less is kept, and its status decides', async () => {
  const { endpoint, tell, attempts } = tenant()
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
  await tell([orderPaid])
  const [attempt] = await attempts(1)
  expect(attempt).toMatchObject({ http_code: 200, succeeded: true })
  expect(written).toBeLessThan(30_000_000)
  const [{ length } = { length: 0 }] = await webhooks.rows<{ length: number }>(
    'select length(response_excerpt) from webhook_attempts where endpoint_id = $1',
    [id],
  )
  expect(length).toBe(8192)
})

test('fault 28: a reset, an empty reply, garbage and HTTP/0.9 fail with a reason of their own and are tried again', async () => {
  const { endpoint, tell, attempts } = tenant()
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
  await tell([orderPaid])
  const seen = (await attempts(5)).map(({ http_code, reason }) => [http_code, reason])
  expect(seen).toEqual([
    [200, 'connection_reset'],
    [null, 'connection_reset'],
    [null, 'invalid_response'],
    [null, 'invalid_response'],
    [204, null],
  ])
})

test.each([301, 302, 307, 308])('fault 29: a redirect (%i) is a failure, and nobody follows it', async (status) => {
  const { endpoint, tell, attempts } = tenant()
  await using target = await startEndpointSink()
  await using sink = await startEndpointSink()
  const places = [target.url, 'http://169.254.169.254/latest', sink.url]
  sink.answer((_, count) => (count > 3 ? { status: 200 } : { status, headers: { location: places[count - 1] ?? '' } }))
  await endpoint(sink.url)
  await tell([orderPaid])
  expect((await attempts(4)).map(({ http_code }) => http_code)).toEqual([status, status, status, 200])
  expect(target.received).toHaveLength(0)
  expect(sink.received).toHaveLength(4)
})

const forbiddenHosts = [
  ...['0.0.0.0', '10.0.0.1', '172.16.0.1', '192.168.0.1', '100.64.0.1', '169.254.169.254', '168.63.129.16'],
  ...['[::1]', '[::7f00:1]', '[64:ff9b::7f00:1]', '[fd00:ec2::254]', 'localhost.'],
]

test('fault 30: a URL that is not of the internet is refused, and one that got into the table is never dialled', async () => {
  const { endpoint, tell, attempts } = tenant()
  // 127.0.0.0/8 in every spelling is open to tests; `endpoint-url.test.ts` has those.
  for (const host of forbiddenHosts) await expect(endpoint(`https://${host}/`)).rejects.toThrow(RequestValidationError)
  const { id } = await endpoint('https://example.com/')
  for (const [index, url] of ['http://[::1]:9/', 'http://169.254.169.254/latest', 'https://10.0.0.1/'].entries()) {
    await webhooks.rows('update webhook_endpoints set url = $2 where id = $1', [id, url])
    const [event] = (await tell([orderPaid])) as [string]
    const before = index * 10
    await attempts(before + 10)
    const reasons = await webhooks.rows('select distinct reason from webhook_attempts where event_id = $1', [event])
    expect(reasons).toEqual([{ reason: 'destination_blocked' }])
    // Nothing of this one is left when the next URL is there, and the pause it may have led to is over.
    await webhooks.rows('update webhook_lanes set paused_until = null, trips = 0 where endpoint_id = $1', [id])
  }
})

test('fault 36: plain http is refused where only https is allowed', async () => {
  const { endpoint } = tenant()
  await expect(endpoint('http://example.com/')).rejects.toThrow(RequestValidationError)
})

test('fault 37: 410 disables at once: told once, what waits and what comes is held, and nothing more is sent', async () => {
  const { endpoint, tell, attempts, caller, statuses, organizationId: own } = tenant()
  await using sink = await startEndpointSink()
  sink.answer(() => ({ status: 410 }))
  const { id } = await endpoint(sink.url)
  await tell([orderCreated, orderUpdated])
  await attempts(1)
  await eventually(async () =>
    expect(await webhooks.call(getWebhookEndpoint, { id }, caller)).toMatchObject({ enabled: false, disabled_reason: 'gone' }),
  )
  await tell([orderPaid])
  await eventually(async () => expect(await statuses(id)).toEqual(['failed', 'held', 'held']))
  expect(sink.received).toHaveLength(1)
  expect(await webhooks.nextEvent(webhookEndpointDisabled)).toMatchObject({ endpoint: { id, disabled_reason: 'gone' } })
  expect(
    webhooks.said.filter(({ subject, organizationId }) => subject === webhookEndpointDisabled.subject && organizationId === own),
  ).toHaveLength(1)
})

test('fault 38: Retry-After is kept as seconds and as a date, up to a day, and ignored where it makes no sense', async () => {
  const { endpoint, tell, caller } = tenant()
  await using sink = await startEndpointSink()
  const dated = new Date(Date.now() + 300_000).toUTCString()
  const asked = ['120', dated, 'soon', '-5', String(10 * 365 * 86_400)]
  const byEvent = new Map<string, string>()
  sink.answer((post) => {
    const id = idOf(post)
    if (!byEvent.has(id)) byEvent.set(id, asked[byEvent.size] ?? '')
    return { status: 429, headers: { 'retry-after': byEvent.get(id) ?? '' } }
  })
  for (const [before] of asked.entries()) {
    const { id } = await endpoint(sink.url, { events: ['order.paid'] })
    await tell([orderPaid])
    await eventually(() => expect(byEvent.size).toBe(before + 1))
    // Answered, but is what comes of it kept?
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

test('fault 39: what fails and heals is tried at the schedule, and then it is done', async () => {
  const { endpoint, tell, attempts, statuses } = tenant()
  await using sink = await startEndpointSink()
  sink.answer((_, count) => ({ status: count < 4 ? 500 : 200 }))
  const { id, secret } = await endpoint(sink.url)
  const ids = await tell([orderPaid])
  const made = await attempts(4)
  expect(made.map(({ http_code }) => http_code)).toEqual([500, 500, 500, 200])
  expect(await statuses(id)).toEqual(['succeeded'])
  expect(await webhooks.rows('select attempts from webhook_deliveries where endpoint_id = $1', [id])).toEqual([{ attempts: 4 }])
  const gaps = sink.received.slice(1).map(({ at }, index) => at - (sink.received[index]?.at ?? 0))
  for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(75)
  demandAllDelivered(sink.received, { ids, secret })
})

test('fault 40: what always fails is tried exactly ten times', async () => {
  const { endpoint, tell, attempts, statuses } = tenant()
  await using sink = await startEndpointSink()
  sink.answer(() => ({ status: 500 }))
  const { id } = await endpoint(sink.url)
  await tell([orderPaid])
  await eventually(async () => expect(await statuses(id)).toEqual(['failed']))
  expect(await attempts(10)).toHaveLength(10)
  expect(sink.received).toHaveLength(10)
})

test('fault 46: while a secret is replaced both verify every request, the newest first; afterwards only the new one does', async () => {
  const { endpoint, tell, caller } = tenant()
  await using sink = await startEndpointSink()
  const before = await endpoint(sink.url)
  const during = await webhooks.call(rotateWebhookSecret, { id: before.id, expire_previous_in: 3_600 }, caller)
  expect(during.secret).not.toBe(before.secret)
  await tell(wholeStory)
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
  await tell([orderPaid])
  await eventually(() => expect(sink.received).toHaveLength(4))
  expect(verify(after.secret)).toBeTruthy()
  for (const { secret } of [before, during]) expect(() => verify(secret)).toThrow()
  const foreign = organizationCaller(randomUUID())
  await expect(webhooks.call(rotateWebhookSecret, { id: before.id }, foreign)).rejects.toThrow(ResourceNotFound)
})

test('fault 47: a retry goes to the new URL; of what is deleted or not wanted any more nothing is sent', async () => {
  const { endpoint, tell, attempts, caller, statuses } = tenant()
  await using old = await startEndpointSink()
  await using moved = await startEndpointSink()
  old.answer(() => ({ status: 500, headers: { 'retry-after': '120' } }))
  const [changing, deleted, narrowed] = [await endpoint(old.url), await endpoint(old.url), await endpoint(old.url)]
  const ids = await tell([orderPaid])
  await attempts(3)
  await webhooks.call(updateWebhookEndpoint, { id: changing.id, url: moved.url }, caller)
  await webhooks.call(deleteWebhookEndpoint, { id: deleted.id }, caller)
  await webhooks.call(updateWebhookEndpoint, { id: narrowed.id, events: ['product.*'] }, caller)
  await webhooks.retryNow([changing, deleted, narrowed])
  await attempts(4)
  await eventually(async () => expect(await statuses(narrowed.id)).toEqual(['cancelled']))
  expect(await statuses(deleted.id)).toEqual(['cancelled'])
  expect(old.received).toHaveLength(3)
  demandAllDelivered(moved.received, { ids, secret: changing.secret })
})

test('fault 48: what a disabled endpoint missed is sent when it is enabled and recovered, in the order of time, once each', async () => {
  const { endpoint, tell, caller, statuses } = tenant()
  await using sink = await startEndpointSink()
  const { id, secret } = await endpoint(sink.url)
  const since = new Date(Date.now() - 1_000).toISOString()
  await webhooks.call(updateWebhookEndpoint, { id, enabled: false }, caller)
  const ids: string[] = []
  for (let order = 0; order < 17; order++) ids.push(...(await tell(wholeStory)))
  await eventually(async () => expect(await statuses(id)).toEqual(Array.from({ length: 51 }, () => 'held')))
  await expect(webhooks.call(recoverWebhookEndpoint, { id, since }, caller)).rejects.toThrow('disabled')
  await webhooks.call(updateWebhookEndpoint, { id, enabled: true }, caller)
  await expect(webhooks.call(recoverWebhookEndpoint, { id, since, until: since }, caller)).rejects.toThrow(RequestValidationError)
  await expect(webhooks.call(recoverWebhookEndpoint, { id, since }, organizationCaller(randomUUID()))).rejects.toThrow(ResourceNotFound)
  expect(sink.received).toHaveLength(0)
  await webhooks.call(recoverWebhookEndpoint, { id, since }, caller)
  await eventually(async () => expect(await statuses(id)).toEqual(Array.from({ length: 51 }, () => 'succeeded')))
  expect(sink.received.map(idOf)).toHaveLength(51)
  for (let order = 0; order < 17; order++) {
    const story = ids.slice(order * 3, order * 3 + 3)
    expect(sink.received.map(idOf).filter((each) => story.includes(each))).toEqual(story)
  }
  demandAllDelivered(sink.received, { ids, secret })
})

test('fault 51: created, updated and paid within a moment arrive in this order', async () => {
  const { endpoint, tell } = tenant()
  await using sink = await startEndpointSink()
  const { secret } = await endpoint(sink.url)
  const ids = await tell(wholeStory)
  await eventually(() => expect(sink.received).toHaveLength(3))
  expect(sink.received.map(typeOf)).toEqual(['order.created', 'order.updated', 'order.paid'])
  demandAllDelivered(sink.received, { ids, secret })
})

test('fault 53: an event that is too large goes out with its id alone, and the next one as ever', async () => {
  const { endpoint, organizationId, tell } = tenant()
  await using sink: EndpointSink = await startEndpointSink()
  await endpoint(sink.url)
  const order = { ...anOrder(organizationId), billing_name: 'x'.repeat(600_000) }
  await webhooks.emit(orderPaid, order, { organizationId, aggregateId: order.id })
  await eventually(() => expect(sink.received).toHaveLength(1))
  expect(JSON.parse(sink.received[0]?.body ?? '')).toMatchObject({ type: 'order.paid', data: { id: order.id } })
  expect(sink.received[0]?.body.length).toBeLessThan(1_000)
  await tell(wholeStory)
  await eventually(() => expect(sink.received).toHaveLength(4))
})

test('fault 55: two organizations with the same URL have secrets, deliveries and events of their own', async () => {
  const [one, other] = [tenant(), tenant()]
  await using sink = await startEndpointSink()
  const [first, second] = [await one.endpoint(sink.url), await other.endpoint(sink.url)]
  const ids = [await one.tell([orderPaid]), await other.tell([orderPaid])] as const
  await one.attempts(1)
  await other.attempts(1)
  for (const [index, { secret }] of [first, second].entries()) {
    demandAllDelivered(
      sink.received.filter((post) => idOf(post) === ids[index]?.[0]),
      { ids: ids[index] ?? [], secret },
    )
  }
  await expect(webhooks.call(getWebhookEndpoint, { id: first.id }, other.caller)).rejects.toThrow(ResourceNotFound)
  await expect(webhooks.call(redeliverWebhookEvent, { id: ids[0][0] ?? '' }, other.caller)).rejects.toThrow(ResourceNotFound)
  const { items } = await webhooks.call(listWebhookDeliveries, { endpoint_id: first.id }, other.caller)
  expect(items).toEqual([])
})

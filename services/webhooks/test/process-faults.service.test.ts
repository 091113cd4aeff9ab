/** Faults of processes and engines, numbered as in the design: real processes that are really killed. */
import { randomUUID } from 'node:crypto'
import { createServer, connect, type AddressInfo, type Socket } from 'node:net'
import { eventStream, durableConsumers } from '@quittance/contracts/streams'
import { startEndpointSink, type EndpointSink } from '@quittance/testing/endpoint-sink'
import { eventually } from '@quittance/testing/eventually'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectAllDelivered, readEventId } from './delivery-assertions.ts'
import {
  commitEvent,
  connectExternalActors,
  startEngines,
  startProcess,
  type Engines,
  type ExternalActors,
  type ServiceProcess,
} from './processes.ts'

let engines: Engines
let outside: ExternalActors
beforeAll(async () => {
  engines = await startEngines()
  outside = await connectExternalActors(engines)
})
afterAll(async () => {
  await outside[Symbol.asyncDispose]()
  await engines[Symbol.asyncDispose]()
})

const startWebhooks = (env?: Record<string, string>) => startProcess(engines, { database: 'webhooks', ...(env && { env }) })
const startPublisher = () => startProcess(engines, { database: 'orders' })

/** Creates an endpoint of a new organization. */
async function subscribe(sink: EndpointSink) {
  const organizationId = randomUUID()
  const { id, secret } = await eventually(() => outside.endpoint(sink.url, organizationId))
  return { organizationId, id, secret }
}

const deliveries = (ids: readonly string[]) =>
  engines.rows<{ event_id: string; status: string; attempts: number }>(
    'webhooks',
    'select event_id, status, attempts from webhook_deliveries where event_id = any($1)',
    [ids],
  )

function untilSucceeded(ids: readonly string[]): Promise<void> {
  return eventually(async () => {
    const statuses = (await deliveries(ids)).map(({ status }) => status)
    expect(statuses).toEqual(ids.map(() => 'succeeded'))
  })
}

const acceptedIds = (sink: EndpointSink) => sink.received.filter(({ answered }) => answered === 200).map(readEventId)

test('delivers a committed event once after its owner was killed and restarted [fault 1]', async () => {
  await using sink = await startEndpointSink()
  await using webhooks = await startWebhooks()
  await webhooks.untilReady()
  const { organizationId, secret } = await subscribe(sink)
  await using publisher = await startPublisher()
  process.kill(engines.nats.pid, 'SIGSTOP')
  const id = await commitEvent(engines, organizationId)
  await publisher.kill()
  process.kill(engines.nats.pid, 'SIGCONT')
  await using again = await startPublisher()
  await again.untilReady()
  await untilSucceeded([id])
  expect(acceptedIds(sink)).toEqual([id])
  expectAllDelivered(sink.received, { ids: [id], secret })
})

test.each([
  { fault: 2, until: 'within the duplicate window: the stream stores one', window: null, copies: 1 },
  { fault: 3, until: 'after that window: the inbox stores one', window: 100_000_000, copies: 2 },
])('a relay killed between acknowledgement and mark republishes $until [fault $fault]', async ({ window, copies }) => {
  await using sink = await startEndpointSink()
  await using webhooks = await startWebhooks()
  const { organizationId, secret } = await subscribe(sink)
  const { streams } = await outside.connection.jetstreamManager()
  const before = (await streams.info(eventStream.name)).state.messages
  await using publisher = await startPublisher()
  if (window) await streams.update(eventStream.name, { duplicate_window: window })
  const id = await commitBehindLock(organizationId, publisher)
  await using again = await startPublisher()
  await again.untilReady()
  await untilSucceeded([id])
  await eventually(async () => expect((await streams.info(eventStream.name)).state.messages).toBe(before + copies))
  if (copies === 2) await eventually(async () => expect(await webhooks.metrics()).toMatch(/inbox_duplicates_total\{[^}]*\} [1-9]/))
  expect(await deliveries([id])).toHaveLength(1)
  expect(acceptedIds(sink)).toEqual([id])
  expectAllDelivered(sink.received, { ids: [id], secret })
  if (window) await streams.update(eventStream.name, { duplicate_window: eventStream.duplicateWindowMs * 1_000_000 })
})

/** Commits an event whose mark cannot be written: it is published and acknowledged; the relay waits and is killed there. */
async function commitBehindLock(organizationId: string, publisher: ServiceProcess): Promise<string> {
  await engines.rows(
    'orders',
    `create or replace function wait_for_test() returns trigger language plpgsql as $$
     begin perform pg_advisory_xact_lock(42); return new; end $$;
     create or replace trigger wait_for_test before update on outbox_messages for each row execute function wait_for_test()`,
  )
  const release = await engines.lock('orders', 'select pg_advisory_lock(42)')
  const id = await commitEvent(engines, organizationId)
  await eventually(async () =>
    expect(await engines.rows('orders', `select from pg_locks where locktype = 'advisory' and objid = 42 and not granted`)).toHaveLength(1),
  )
  await publisher.kill()
  await engines.endWaiting('orders')
  await release()
  await engines.rows('orders', 'drop trigger wait_for_test on outbox_messages')
  expect(await engines.rows('orders', 'select from outbox_messages where id = $1 and published_at is null', [id])).toHaveLength(1)
  return id
}

test('creates one delivery after a kill before the inbox commit [fault 4]', async () => {
  await using sink = await startEndpointSink()
  await using webhooks = await startWebhooks()
  const { organizationId, secret } = await subscribe(sink)
  const release = await engines.lock('webhooks', 'lock table webhook_events in share mode')
  const id = await outside.publish(organizationId)
  await engines.untilBlocked('webhooks', 'webhook_events')
  await webhooks.kill()
  await engines.endWaiting('webhooks')
  await release()
  await using again = await startWebhooks()
  await again.untilReady()
  await untilSucceeded([id])
  expect(await deliveries([id])).toHaveLength(1)
  expectAllDelivered(sink.received, { ids: [id], secret })
})

test('creates nothing on redelivery after a kill between commit and acknowledgement [fault 5]', async () => {
  await using sink = await startEndpointSink()
  await using proxy = await muteableProxy(new URL(engines.natsUrl))
  await using webhooks = await startWebhooks({ NATS_URL: proxy.url })
  const { organizationId, secret } = await subscribe(sink)
  proxy.muteAfter('event.order.paid')
  const id = await outside.publish(organizationId)
  await untilSucceeded([id])
  await webhooks.kill()
  await using again = await startWebhooks()
  // Events of the tests before may be redelivered too: their acknowledgements were still gathered when their process was killed.
  await eventually(async () =>
    expect(await again.metrics()).toMatch(/inbox_duplicates_total\{consumer="webhooks-public-events"[^}]*\} [1-9]/),
  )
  const { consumers } = await outside.connection.jetstreamManager()
  await eventually(async () =>
    expect((await consumers.info(eventStream.name, durableConsumers.webhooksPublicEvents.durable)).num_ack_pending).toBe(0),
  )
  expect(await deliveries([id])).toMatchObject([{ status: 'succeeded', attempts: 1 }])
  expect(sink.received).toHaveLength(1)
  expectAllDelivered(sink.received, { ids: [id], secret })
})

/** Proxies a service's NATS connection and can stop forwarding what the service sends. */
async function muteableProxy(target: URL) {
  let trigger: string | null = null
  let isMute = false
  const sockets = new Set<Socket>()
  const server = createServer((inner) => {
    const outer = connect(Number(target.port), target.hostname)
    for (const socket of [inner, outer]) sockets.add(socket.on('error', () => {}))
    inner.on('data', (bytes) => void (isMute || outer.write(bytes)))
    outer.on('data', (bytes) => {
      if (trigger && bytes.includes(trigger)) isMute = true
      inner.write(bytes)
    })
    inner.on('close', () => outer.destroy())
    outer.on('close', () => inner.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(target)
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href.replace(/\/$/, ''),
    muteAfter: (text: string) => void (trigger = text),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

test('resends a killed POST with the same id and body and a newer time [fault 6]', async () => {
  await using sink = await startEndpointSink()
  await using webhooks = await startWebhooks()
  const { organizationId, secret } = await subscribe(sink)
  const never = new Promise(() => {})
  sink.respondWith((_, count) => ({ status: 200, ...(count === 1 && { after: never }) }))
  const id = await outside.publish(organizationId)
  await eventually(() => expect(sink.received).toHaveLength(1))
  // Signature timestamps have a resolution of one second.
  const second = Number(sink.received[0]?.headers['webhook-timestamp'])
  await eventually(() => expect(Math.floor(Date.now() / 1000)).toBeGreaterThan(second))
  await webhooks.kill()
  await using again = await startWebhooks()
  await again.untilReady()
  await untilSucceeded([id])
  expect(sink.received.map(readEventId)).toEqual([id, id])
  expect(Number(sink.received[1]?.headers['webhook-timestamp'])).toBeGreaterThan(second)
  expectAllDelivered(sink.received, { ids: [id], secret })
})

test('sends exactly one more POST after a kill between response and stored result [fault 7]', async () => {
  await using sink = await startEndpointSink()
  await using webhooks = await startWebhooks()
  const { organizationId, secret } = await subscribe(sink)
  const release = await engines.lock('webhooks', 'lock table webhook_attempts in share mode')
  const id = await outside.publish(organizationId)
  await engines.untilBlocked('webhooks', 'webhook_attempts')
  await webhooks.kill()
  await engines.endWaiting('webhooks')
  await release()
  await using again = await startWebhooks()
  await again.untilReady()
  await untilSucceeded([id])
  expect(acceptedIds(sink)).toEqual([id, id])
  expectAllDelivered(sink.received, { ids: [id], secret })
})

/** Publishes an event every ten milliseconds until `stop`, which returns the ids. */
function publishContinuously(organizationId: string): { stop(): Promise<string[]> } {
  const ids: string[] = []
  let isStopped = false
  const publishing = (async () => {
    while (!isStopped && ids.length < 5_000) {
      ids.push(await outside.publish(organizationId))
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  })()
  return {
    async stop() {
      isStopped = true
      await publishing
      return ids
    },
  }
}

async function untilMoreReceived(sink: EndpointSink, count: number): Promise<void> {
  const before = sink.received.length
  await eventually(() => expect(sink.received.length).toBeGreaterThan(before + count))
}

test('loses nothing and repeats few events while replicas are killed under load [fault 8]', async () => {
  await using stack = new AsyncDisposableStack()
  const start = async () => stack.use(await startWebhooks())
  await using sink = await startEndpointSink()
  const replicas = await Promise.all([start(), start(), start()])
  const { organizationId, secret } = await subscribe(sink)
  const publishing = publishContinuously(organizationId)
  for (const replica of replicas) {
    await untilMoreReceived(sink, 150)
    await replica.kill()
    await start()
  }
  await untilMoreReceived(sink, 50)
  const ids = await publishing.stop()
  await untilSucceeded(ids)
  // A kill repeats only POSTs in progress and unsaved results, regardless of the number of events: 2 % of 500 per second with a kill every
  // 2.5 s.
  expect(acceptedIds(sink).length - ids.length).toBeLessThan(replicas.length * 25)
  expectAllDelivered(sink.received, { ids, secret })
})

test('loses and repeats nothing during a rolling restart under load [fault 9]', async () => {
  await using stack = new AsyncDisposableStack()
  const start = async () => stack.use(await startWebhooks())
  await using sink = await startEndpointSink()
  const replicas = await Promise.all([start(), start()])
  const { organizationId, secret } = await subscribe(sink)
  sink.respondWith(() => ({ status: 200, after: new Promise((resolve) => setTimeout(resolve, 20)) }))
  const publishing = publishContinuously(organizationId)
  for (const replica of replicas) {
    await untilMoreReceived(sink, 50)
    const began = performance.now()
    expect(await replica.stop()).toBe(0)
    expect(performance.now() - began).toBeLessThan(20_000)
    await start()
  }
  await untilMoreReceived(sink, 20)
  const ids = await publishing.stop()
  await untilSucceeded(ids)
  expect(acceptedIds(sink)).toHaveLength(ids.length)
  expectAllDelivered(sink.received, { ids, secret })
})

test('commits and delivers while NATS is down, and publishes everything afterwards [fault 11]', async () => {
  await using sink = await startEndpointSink()
  await using publisher = await startPublisher()
  await publisher.untilReady()
  // Failed deliveries are retried long enough to stop a server and to commit.
  await using webhooks = await startWebhooks({ RETRY_SCHEDULE_S: Array.from({ length: 300 }, () => '0.2').join(',') })
  await webhooks.untilReady()
  const { organizationId, secret } = await subscribe(sink)
  let isDown = true
  sink.respondWith(() => ({ status: isDown ? 503 : 200 }))
  const beforeOutage = await outside.publish(organizationId)
  await eventually(() => expect(sink.received).not.toHaveLength(0))
  const startNats = await engines.stopNats()
  const committed = await Promise.all(Array.from({ length: 50 }, () => commitEvent(engines, organizationId)))
  isDown = false
  await untilSucceeded([beforeOutage])
  await startNats()
  const back = performance.now()
  await untilSucceeded(committed)
  expect(performance.now() - back).toBeLessThan(10_000)
  expectAllDelivered(sink.received, { ids: [beforeOutage, ...committed], secret })
})

test('consumers continue after NATS is killed and restarted on the same store [fault 12]', async () => {
  await using sink = await startEndpointSink()
  await using webhooks = await startWebhooks()
  const { organizationId, secret } = await subscribe(sink)
  const before = await outside.publish(organizationId)
  await untilSucceeded([before])
  await (
    await engines.stopNats('SIGKILL')
  )()
  const after = await eventually(() => outside.publish(organizationId))
  await untilSucceeded([before, after])
  expect(webhooks.exitCode()).toBeNull()
  expect(acceptedIds(sink)).toEqual([before, after])
  expectAllDelivered(sink.received, { ids: [before, after], secret })
})

test('recreates a deleted consumer, handles all events again and repeats none [fault 15]', async () => {
  await using sink = await startEndpointSink()
  await using webhooks = await startWebhooks()
  const { organizationId, secret } = await subscribe(sink)
  const before = await outside.publish(organizationId)
  await untilSucceeded([before])
  const manager = await outside.connection.jetstreamManager()
  await manager.consumers.delete(eventStream.name, durableConsumers.webhooksPublicEvents.durable)
  const after = await outside.publish(organizationId)
  await untilSucceeded([before, after])
  await eventually(async () => expect(await webhooks.metrics()).toMatch(/inbox_duplicates_total\{[^}]*\} [1-9]/))
  expect(acceptedIds(sink)).toEqual([before, after])
  expectAllDelivered(sink.received, { ids: [before, after], secret })
})

test.each([
  { fault: 16, how: 'restarted', signal: 'SIGINT' as const, repeated: 0 },
  // An unwritten result may be sent again under the same id.
  { fault: 17, how: 'killed', signal: 'SIGQUIT' as const, repeated: 1 },
])('loses nothing and keeps running, not ready, while PostgreSQL is $how [faults $fault, 18]', async ({ signal, repeated }) => {
  await using sink = await startEndpointSink()
  await using webhooks = await startWebhooks()
  const { organizationId, secret } = await subscribe(sink)
  const before = await outside.publish(organizationId)
  await untilSucceeded([before])
  const startPostgres = await engines.stopPostgres(signal)
  const during = await Promise.all(Array.from({ length: 50 }, () => outside.publish(organizationId)))
  await eventually(async () => expect(await webhooks.isReady()).toBe(false))
  expect(sink.received).toHaveLength(1)
  await startPostgres()
  await untilSucceeded([before, ...during])
  await webhooks.untilReady()
  expect(webhooks.exitCode()).toBeNull()
  expect(acceptedIds(sink).length).toBeLessThanOrEqual(51 + repeated)
  expectAllDelivered(sink.received, { ids: [before, ...during], secret })
})

test('is not ready while a long lock uses up its connections, and then continues [fault 19]', async () => {
  await using sink = await startEndpointSink()
  await using webhooks = await startWebhooks({ DATABASE_POOL_MAX: '2' })
  const { organizationId, secret } = await subscribe(sink)
  const release = await engines.lock('webhooks', 'lock table webhook_deliveries in access exclusive mode')
  const ids = await Promise.all(Array.from({ length: 20 }, () => outside.publish(organizationId)))
  await engines.untilBlocked('webhooks', 'webhook_deliveries')
  await eventually(async () => expect(await webhooks.isReady()).toBe(false))
  await release()
  await untilSucceeded(ids)
  await webhooks.untilReady()
  expect(webhooks.exitCode()).toBeNull()
  expectAllDelivered(sink.received, { ids, secret })
})

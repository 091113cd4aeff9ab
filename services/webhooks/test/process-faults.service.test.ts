/** Faults of processes and engines, by their numbers in the design: real processes, really killed. */
import { randomUUID } from 'node:crypto'
import { createServer, connect, type AddressInfo, type Socket } from 'node:net'
import { eventStream, subscriptions } from '@quittance/contracts/streams'
import { startEndpointSink, type EndpointSink } from '@quittance/testing/endpoint-sink'
import { eventually } from '@quittance/testing/eventually'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { demandAllDelivered, idOf } from './oracle.ts'
import { commitEvent, openOutside, startEngines, startProcess, type Engines, type Outside, type ServiceProcess } from './processes.ts'

// Processes are started again and again, and the machine may be busy.

let engines: Engines
let outside: Outside
beforeAll(async () => {
  engines = await startEngines()
  outside = await openOutside(engines)
})
afterAll(async () => {
  await outside[Symbol.asyncDispose]()
  await engines[Symbol.asyncDispose]()
})

const startWebhooks = (env?: Record<string, string>) => startProcess(engines, { database: 'webhooks', ...(env && { env }) })
const startTeller = () => startProcess(engines, { database: 'orders' })

/** An endpoint of an organization of its own. */
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

const acceptedIds = (sink: EndpointSink) => sink.received.filter(({ answered }) => answered === 200).map(idOf)

test('fault 1: an event that was committed when its owner was killed is delivered after the restart, once', async () => {
  await using sink = await startEndpointSink()
  await using webhooks = await startWebhooks()
  await webhooks.untilReady()
  const { organizationId, secret } = await subscribe(sink)
  await using teller = await startTeller()
  process.kill(engines.nats.pid, 'SIGSTOP')
  const id = await commitEvent(engines, organizationId)
  await teller.kill()
  process.kill(engines.nats.pid, 'SIGCONT')
  await using again = await startTeller()
  await again.untilReady()
  await untilSucceeded([id])
  expect(acceptedIds(sink)).toEqual([id])
  demandAllDelivered(sink.received, { ids: [id], secret })
})

test.each([
  { fault: 2, until: 'within the window of duplicates: the stream keeps one', window: null, copies: 1 },
  { fault: 3, until: 'after that window: the inbox keeps one', window: 100_000_000, copies: 2 },
])('fault $fault: a relay killed between acknowledgement and mark tells again $until', async ({ window, copies }) => {
  await using sink = await startEndpointSink()
  await using webhooks = await startWebhooks()
  const { organizationId, secret } = await subscribe(sink)
  const { streams } = await outside.connection.jetstreamManager()
  const before = (await streams.info(eventStream.name)).state.messages
  await using teller = await startTeller()
  if (window) await streams.update(eventStream.name, { duplicate_window: window })
  const id = await commitBehindLock(organizationId, teller)
  await using again = await startTeller()
  await again.untilReady()
  await untilSucceeded([id])
  await eventually(async () => expect((await streams.info(eventStream.name)).state.messages).toBe(before + copies))
  if (copies === 2) await eventually(async () => expect(await webhooks.metrics()).toMatch(/inbox_duplicates_total\{[^}]*\} [1-9]/))
  expect(await deliveries([id])).toHaveLength(1)
  expect(acceptedIds(sink)).toEqual([id])
  demandAllDelivered(sink.received, { ids: [id], secret })
  if (window) await streams.update(eventStream.name, { duplicate_window: eventStream.duplicateWindowMs * 1_000_000 })
})

/** Commits an event whose mark cannot be written: told and acknowledged, the relay waits, and is killed there. */
async function commitBehindLock(organizationId: string, teller: ServiceProcess): Promise<string> {
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
  await teller.kill()
  await engines.endWaiting('orders')
  await release()
  await engines.rows('orders', 'drop trigger wait_for_test on outbox_messages')
  expect(await engines.rows('orders', 'select from outbox_messages where id = $1 and published_at is null', [id])).toHaveLength(1)
  return id
}

test('fault 4: killed before the inbox is committed, the event comes again and is one delivery', async () => {
  await using sink = await startEndpointSink()
  await using webhooks = await startWebhooks()
  const { organizationId, secret } = await subscribe(sink)
  const release = await engines.lock('webhooks', 'lock table webhook_events in share mode')
  const id = await outside.tell(organizationId)
  await engines.untilBlocked('webhooks', 'webhook_events')
  await webhooks.kill()
  await engines.endWaiting('webhooks')
  await release()
  await using again = await startWebhooks()
  await again.untilReady()
  await untilSucceeded([id])
  expect(await deliveries([id])).toHaveLength(1)
  demandAllDelivered(sink.received, { ids: [id], secret })
})

test('fault 5: killed between commit and acknowledgement, the event comes again and makes nothing new', async () => {
  await using sink = await startEndpointSink()
  await using proxy = await muteableProxy(new URL(engines.natsUrl))
  await using webhooks = await startWebhooks({ NATS_URL: proxy.url })
  const { organizationId, secret } = await subscribe(sink)
  proxy.muteAfter('event.order.paid')
  const id = await outside.tell(organizationId)
  await untilSucceeded([id])
  await webhooks.kill()
  await using again = await startWebhooks()
  await eventually(async () =>
    expect(await again.metrics()).toMatch(/inbox_duplicates_total\{consumer="webhooks-public-events"[^}]*\} 1\b/),
  )
  expect(await deliveries([id])).toMatchObject([{ status: 'succeeded', attempts: 1 }])
  expect(sink.received).toHaveLength(1)
  demandAllDelivered(sink.received, { ids: [id], secret })
})

/** Stands between a service and NATS, and can stop to pass on what the service says. */
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

test('fault 6: killed while a POST is under way, it is sent again under the same id with a newer time and the same body', async () => {
  await using sink = await startEndpointSink()
  await using webhooks = await startWebhooks()
  const { organizationId, secret } = await subscribe(sink)
  const never = new Promise(() => {})
  sink.answer((_, count) => ({ status: 200, ...(count === 1 && { after: never }) }))
  const id = await outside.tell(organizationId)
  await eventually(() => expect(sink.received).toHaveLength(1))
  // The time of a signature is in seconds.
  const second = Number(sink.received[0]?.headers['webhook-timestamp'])
  await eventually(() => expect(Math.floor(Date.now() / 1000)).toBeGreaterThan(second))
  await webhooks.kill()
  await using again = await startWebhooks()
  await again.untilReady()
  await untilSucceeded([id])
  expect(sink.received.map(idOf)).toEqual([id, id])
  expect(Number(sink.received[1]?.headers['webhook-timestamp'])).toBeGreaterThan(second)
  demandAllDelivered(sink.received, { ids: [id], secret })
})

test('fault 7: killed after the answer and before its result is kept, there is exactly one POST more', async () => {
  await using sink = await startEndpointSink()
  await using webhooks = await startWebhooks()
  const { organizationId, secret } = await subscribe(sink)
  const release = await engines.lock('webhooks', 'lock table webhook_attempts in share mode')
  const id = await outside.tell(organizationId)
  await engines.untilBlocked('webhooks', 'webhook_attempts')
  await webhooks.kill()
  await engines.endWaiting('webhooks')
  await release()
  await using again = await startWebhooks()
  await again.untilReady()
  await untilSucceeded([id])
  expect(acceptedIds(sink)).toEqual([id, id])
  demandAllDelivered(sink.received, { ids: [id], secret })
})

/** Says an event every ten milliseconds until it is stopped, and gives their ids then. */
function keepTelling(organizationId: string): { stop(): Promise<string[]> } {
  const ids: string[] = []
  let isStopped = false
  const telling = (async () => {
    while (!isStopped && ids.length < 5_000) {
      ids.push(await outside.tell(organizationId))
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  })()
  return {
    async stop() {
      isStopped = true
      await telling
      return ids
    },
  }
}

async function untilMoreCame(sink: EndpointSink, count: number): Promise<void> {
  const before = sink.received.length
  await eventually(() => expect(sink.received.length).toBeGreaterThan(before + count))
}

test('fault 8: of three replicas one is killed again and again under load: nothing is lost, few come twice, all under their id', async () => {
  await using stack = new AsyncDisposableStack()
  const start = async () => stack.use(await startWebhooks())
  await using sink = await startEndpointSink()
  const replicas = await Promise.all([start(), start(), start()])
  const { organizationId, secret } = await subscribe(sink)
  const telling = keepTelling(organizationId)
  for (const replica of replicas) {
    await untilMoreCame(sink, 150)
    await replica.kill()
    await start()
  }
  await untilMoreCame(sink, 50)
  const ids = await telling.stop()
  await untilSucceeded(ids)
  // What a kill repeats is what was under way or not kept yet, however many events there are: 2 % of 500 a second with a kill each 2.5 s.
  expect(acceptedIds(sink).length - ids.length).toBeLessThan(replicas.length * 25)
  demandAllDelivered(sink.received, { ids, secret })
})

test('fault 9: replicas that are replaced one after the other under load lose nothing and send nothing twice', async () => {
  await using stack = new AsyncDisposableStack()
  const start = async () => stack.use(await startWebhooks())
  await using sink = await startEndpointSink()
  const replicas = await Promise.all([start(), start()])
  const { organizationId, secret } = await subscribe(sink)
  sink.answer(() => ({ status: 200, after: new Promise((resolve) => setTimeout(resolve, 20)) }))
  const telling = keepTelling(organizationId)
  for (const replica of replicas) {
    await untilMoreCame(sink, 50)
    const began = performance.now()
    expect(await replica.stop()).toBe(0)
    expect(performance.now() - began).toBeLessThan(20_000)
    await start()
  }
  await untilMoreCame(sink, 20)
  const ids = await telling.stop()
  await untilSucceeded(ids)
  expect(acceptedIds(sink)).toHaveLength(ids.length)
  demandAllDelivered(sink.received, { ids, secret })
})

test('fault 11: while NATS is away events are committed and deliveries go on; when it is back everything is told', async () => {
  await using sink = await startEndpointSink()
  await using teller = await startTeller()
  await teller.untilReady()
  // What is refused is tried for as long as it takes to stop a server and to commit.
  await using webhooks = await startWebhooks({ RETRY_SCHEDULE_S: Array.from({ length: 300 }, () => '0.2').join(',') })
  await webhooks.untilReady()
  const { organizationId, secret } = await subscribe(sink)
  let isDown = true
  sink.answer(() => ({ status: isDown ? 503 : 200 }))
  const kept = await outside.tell(organizationId)
  await eventually(() => expect(sink.received).not.toHaveLength(0))
  const startNats = await engines.stopNats()
  const committed = await Promise.all(Array.from({ length: 50 }, () => commitEvent(engines, organizationId)))
  isDown = false
  await untilSucceeded([kept])
  await startNats()
  const back = performance.now()
  await untilSucceeded(committed)
  expect(performance.now() - back).toBeLessThan(10_000)
  demandAllDelivered(sink.received, { ids: [kept, ...committed], secret })
})

test('fault 12: NATS killed and started on the same store: consumers go on by themselves', async () => {
  await using sink = await startEndpointSink()
  await using webhooks = await startWebhooks()
  const { organizationId, secret } = await subscribe(sink)
  const before = await outside.tell(organizationId)
  await untilSucceeded([before])
  await (
    await engines.stopNats('SIGKILL')
  )()
  const after = await eventually(() => outside.tell(organizationId))
  await untilSucceeded([before, after])
  expect(webhooks.exitCode()).toBeNull()
  expect(acceptedIds(sink)).toEqual([before, after])
  demandAllDelivered(sink.received, { ids: [before, after], secret })
})

test('fault 15: a consumer deleted by hand is made again, hears everything again, and what is known makes nothing new', async () => {
  await using sink = await startEndpointSink()
  await using webhooks = await startWebhooks()
  const { organizationId, secret } = await subscribe(sink)
  const before = await outside.tell(organizationId)
  await untilSucceeded([before])
  const manager = await outside.connection.jetstreamManager()
  await manager.consumers.delete(eventStream.name, subscriptions.webhooksPublicEvents.durable)
  const after = await outside.tell(organizationId)
  await untilSucceeded([before, after])
  await eventually(async () => expect(await webhooks.metrics()).toMatch(/inbox_duplicates_total\{[^}]*\} [1-9]/))
  expect(acceptedIds(sink)).toEqual([before, after])
  demandAllDelivered(sink.received, { ids: [before, after], secret })
})

test.each([
  { fault: 16, how: 'restarted', signal: 'SIGINT' as const, repeated: 0 },
  // What it had not written may be sent again, under the same id.
  { fault: 17, how: 'killed', signal: 'SIGQUIT' as const, repeated: 1 },
])(
  'faults $fault and 18: PostgreSQL $how while events flow: not ready meanwhile, nothing acknowledged, nothing lost, the same process',
  async ({ signal, repeated }) => {
    await using sink = await startEndpointSink()
    await using webhooks = await startWebhooks()
    const { organizationId, secret } = await subscribe(sink)
    const before = await outside.tell(organizationId)
    await untilSucceeded([before])
    const startPostgres = await engines.stopPostgres(signal)
    const during = await Promise.all(Array.from({ length: 50 }, () => outside.tell(organizationId)))
    await eventually(async () => expect(await webhooks.isReady()).toBe(false))
    expect(sink.received).toHaveLength(1)
    await startPostgres()
    await untilSucceeded([before, ...during])
    await webhooks.untilReady()
    expect(webhooks.exitCode()).toBeNull()
    expect(acceptedIds(sink).length).toBeLessThanOrEqual(51 + repeated)
    demandAllDelivered(sink.received, { ids: [before, ...during], secret })
  },
)

test('fault 19: with its connections used up by a long lock it waits, says so, and goes on', async () => {
  await using sink = await startEndpointSink()
  await using webhooks = await startWebhooks({ DATABASE_POOL_MAX: '2' })
  const { organizationId, secret } = await subscribe(sink)
  const release = await engines.lock('webhooks', 'lock table webhook_deliveries in access exclusive mode')
  const ids = await Promise.all(Array.from({ length: 20 }, () => outside.tell(organizationId)))
  await engines.untilBlocked('webhooks', 'webhook_deliveries')
  await eventually(async () => expect(await webhooks.isReady()).toBe(false))
  await release()
  await untilSucceeded(ids)
  await webhooks.untilReady()
  expect(webhooks.exitCode()).toBeNull()
  demandAllDelivered(sink.received, { ids, secret })
})

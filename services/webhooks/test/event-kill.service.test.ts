/** Kills of processes that publish and receive events, numbered as in the design: real processes that are really killed. */
import { createServer, connect, type AddressInfo, type Socket } from 'node:net'
import { eventStream, durableConsumers } from '@quittance/contracts/streams'
import { startEndpointSink } from '@quittance/testing/endpoint-sink'
import { eventually } from '@quittance/testing/eventually'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { acceptedIds, expectAllDelivered } from './delivery-assertions.ts'
import { startFaultRun, type FaultRun } from './fault-run.ts'
import { commitEvent, type ServiceProcess } from './processes.ts'

let run: FaultRun
beforeAll(async () => {
  run = await startFaultRun()
})
afterAll(() => run[Symbol.asyncDispose]())

test('delivers a committed event once after its owner was killed and restarted [fault 1]', async () => {
  await using sink = await startEndpointSink()
  await using webhooks = await run.startWebhooks()
  await webhooks.untilReady()
  const { organizationId, secret } = await run.subscribe(sink)
  await using publisher = await run.startPublisher()
  process.kill(run.engines.nats.pid, 'SIGSTOP')
  const id = await commitEvent(run.engines, organizationId)
  await publisher.kill()
  process.kill(run.engines.nats.pid, 'SIGCONT')
  await using again = await run.startPublisher()
  await again.untilReady()
  await run.untilSucceeded([id])
  expect(acceptedIds(sink)).toEqual([id])
  expectAllDelivered(sink.received, { ids: [id], secret })
})

test.each([
  { fault: 2, until: 'within the duplicate window: the stream stores one', window: null, copies: 1 },
  { fault: 3, until: 'after that window: the inbox stores one', window: 100_000_000, copies: 2 },
])('a relay killed between acknowledgement and mark republishes $until [fault $fault]', async ({ window, copies }) => {
  await using sink = await startEndpointSink()
  await using webhooks = await run.startWebhooks()
  const { organizationId, secret } = await run.subscribe(sink)
  const { streams } = await run.outside.connection.jetstreamManager()
  const before = (await streams.info(eventStream.name)).state.messages
  await using publisher = await run.startPublisher()
  if (window) await streams.update(eventStream.name, { duplicate_window: window })
  const id = await commitBehindLock(organizationId, publisher)
  await using again = await run.startPublisher()
  await again.untilReady()
  await run.untilSucceeded([id])
  await eventually(async () => expect((await streams.info(eventStream.name)).state.messages).toBe(before + copies))
  if (copies === 2) await eventually(async () => expect(await webhooks.metrics()).toMatch(/inbox_duplicates_total\{[^}]*\} [1-9]/))
  expect(await run.deliveries([id])).toHaveLength(1)
  expect(acceptedIds(sink)).toEqual([id])
  expectAllDelivered(sink.received, { ids: [id], secret })
  if (window) await streams.update(eventStream.name, { duplicate_window: eventStream.duplicateWindowMs * 1_000_000 })
})

/** Commits an event whose mark cannot be written: it is published and acknowledged; the relay waits and is killed there. */
async function commitBehindLock(organizationId: string, publisher: ServiceProcess): Promise<string> {
  await run.engines.rows(
    'orders',
    `create or replace function wait_for_test() returns trigger language plpgsql as $$
     begin perform pg_advisory_xact_lock(42); return new; end $$;
     create or replace trigger wait_for_test before update on outbox_messages for each row execute function wait_for_test()`,
  )
  const release = await run.engines.lock('orders', 'select pg_advisory_lock(42)')
  const id = await commitEvent(run.engines, organizationId)
  await eventually(async () =>
    expect(
      await run.engines.rows('orders', `select from pg_locks where locktype = 'advisory' and objid = 42 and not granted`),
    ).toHaveLength(1),
  )
  await publisher.kill()
  await run.engines.endWaiting('orders')
  await release()
  await run.engines.rows('orders', 'drop trigger wait_for_test on outbox_messages')
  expect(await run.engines.rows('orders', 'select from outbox_messages where id = $1 and published_at is null', [id])).toHaveLength(1)
  return id
}

test('creates one delivery after a kill before the inbox commit [fault 4]', async () => {
  await using sink = await startEndpointSink()
  await using webhooks = await run.startWebhooks()
  const { organizationId, secret } = await run.subscribe(sink)
  const id = await run.killBehindLock(webhooks, { table: 'webhook_events', organizationId })
  await using again = await run.startWebhooks()
  await again.untilReady()
  await run.untilSucceeded([id])
  expect(await run.deliveries([id])).toHaveLength(1)
  expectAllDelivered(sink.received, { ids: [id], secret })
})

test('creates nothing on redelivery after a kill between commit and acknowledgement [fault 5]', async () => {
  await using sink = await startEndpointSink()
  await using proxy = await muteableProxy(new URL(run.engines.natsUrl))
  await using webhooks = await run.startWebhooks({ NATS_URL: proxy.url })
  const { organizationId, secret } = await run.subscribe(sink)
  proxy.muteAfter('event.order.paid')
  const id = await run.outside.publish(organizationId)
  await run.untilSucceeded([id])
  await webhooks.kill()
  await using again = await run.startWebhooks()
  // Events of the tests before may be redelivered too: their acknowledgements were still gathered when their process was killed.
  await eventually(async () =>
    expect(await again.metrics()).toMatch(/inbox_duplicates_total\{consumer="webhooks-public-events"[^}]*\} [1-9]/),
  )
  const { consumers } = await run.outside.connection.jetstreamManager()
  await eventually(async () =>
    expect((await consumers.info(eventStream.name, durableConsumers.webhooksPublicEvents.durable)).num_ack_pending).toBe(0),
  )
  expect(await run.deliveries([id])).toMatchObject([{ status: 'succeeded', attempts: 1 }])
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

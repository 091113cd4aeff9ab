/** Faults of NATS and PostgreSQL, numbered as in the design: real engines that are really stopped and killed. */
import { eventStream, durableConsumers } from '@quittance/contracts/streams'
import { startEndpointSink } from '@quittance/testing/endpoint-sink'
import { eventually } from '@quittance/testing/eventually'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { acceptedIds, expectAllDelivered } from './delivery-assertions.ts'
import { startFaultRun, type FaultRun } from './fault-run.ts'
import { commitEvent } from './processes.ts'

let run: FaultRun
beforeAll(async () => {
  run = await startFaultRun()
})
afterAll(() => run[Symbol.asyncDispose]())

test('commits and delivers while NATS is down, and publishes everything afterwards [fault 11]', async () => {
  await using sink = await startEndpointSink()
  await using publisher = await run.startPublisher()
  await publisher.untilReady()
  // Failed deliveries are retried long enough to stop a server and to commit.
  await using webhooks = await run.startWebhooks({ RETRY_SCHEDULE_S: Array.from({ length: 300 }, () => '0.2').join(',') })
  await webhooks.untilReady()
  const { organizationId, secret } = await run.subscribe(sink)
  let isDown = true
  sink.respondWith(() => ({ status: isDown ? 503 : 200 }))
  const beforeOutage = await run.outside.publish(organizationId)
  await eventually(() => expect(sink.received).not.toHaveLength(0))
  const startNats = await run.engines.stopNats()
  const committed = await Promise.all(Array.from({ length: 50 }, () => commitEvent(run.engines, organizationId)))
  isDown = false
  await run.untilSucceeded([beforeOutage])
  await startNats()
  const back = performance.now()
  await run.untilSucceeded(committed)
  expect(performance.now() - back).toBeLessThan(10_000)
  expectAllDelivered(sink.received, { ids: [beforeOutage, ...committed], secret })
})

test('consumers continue after NATS is killed and restarted on the same store [fault 12]', async () => {
  await using sink = await startEndpointSink()
  await using webhooks = await run.startWebhooks()
  const { organizationId, secret } = await run.subscribe(sink)
  const before = await run.outside.publish(organizationId)
  await run.untilSucceeded([before])
  await (
    await run.engines.stopNats('SIGKILL')
  )()
  const after = await eventually(() => run.outside.publish(organizationId))
  await run.untilSucceeded([before, after])
  expect(webhooks.exitCode()).toBeNull()
  expect(acceptedIds(sink)).toEqual([before, after])
  expectAllDelivered(sink.received, { ids: [before, after], secret })
})

test('recreates a deleted consumer, handles all events again and repeats none [fault 15]', async () => {
  await using sink = await startEndpointSink()
  await using webhooks = await run.startWebhooks()
  const { organizationId, secret } = await run.subscribe(sink)
  const before = await run.outside.publish(organizationId)
  await run.untilSucceeded([before])
  const manager = await run.outside.connection.jetstreamManager()
  await manager.consumers.delete(eventStream.name, durableConsumers.webhooksPublicEvents.durable)
  const after = await run.outside.publish(organizationId)
  await run.untilSucceeded([before, after])
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
  await using webhooks = await run.startWebhooks()
  const { organizationId, secret } = await run.subscribe(sink)
  const before = await run.outside.publish(organizationId)
  await run.untilSucceeded([before])
  const startPostgres = await run.engines.stopPostgres(signal)
  const during = await Promise.all(Array.from({ length: 50 }, () => run.outside.publish(organizationId)))
  await eventually(async () => expect(await webhooks.isReady()).toBe(false))
  expect(sink.received).toHaveLength(1)
  await startPostgres()
  await run.untilSucceeded([before, ...during])
  await webhooks.untilReady()
  expect(webhooks.exitCode()).toBeNull()
  expect(acceptedIds(sink).length).toBeLessThanOrEqual(51 + repeated)
  expectAllDelivered(sink.received, { ids: [before, ...during], secret })
})

test('is not ready while a long lock uses up its connections, and then continues [fault 19]', async () => {
  await using sink = await startEndpointSink()
  await using webhooks = await run.startWebhooks({ DATABASE_POOL_MAX: '2' })
  const { organizationId, secret } = await run.subscribe(sink)
  const release = await run.engines.lock('webhooks', 'lock table webhook_deliveries in access exclusive mode')
  const ids = await Promise.all(Array.from({ length: 20 }, () => run.outside.publish(organizationId)))
  await run.engines.untilBlocked('webhooks', 'webhook_deliveries')
  await eventually(async () => expect(await webhooks.isReady()).toBe(false))
  await release()
  await run.untilSucceeded(ids)
  await webhooks.untilReady()
  expect(webhooks.exitCode()).toBeNull()
  expectAllDelivered(sink.received, { ids, secret })
})

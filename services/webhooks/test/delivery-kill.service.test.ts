/** Kills and stops of processes that deliver, numbered as in the design: real processes that are really killed. */
import { startEndpointSink, type EndpointSink } from '@quittance/testing/endpoint-sink'
import { eventually } from '@quittance/testing/eventually'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { acceptedIds, expectAllDelivered, readEventId } from './delivery-assertions.ts'
import { startFaultRun, type FaultRun } from './fault-run.ts'

let run: FaultRun
beforeAll(async () => {
  run = await startFaultRun()
})
afterAll(() => run[Symbol.asyncDispose]())

test('resends a killed POST with the same id and body and a newer time [fault 6]', async () => {
  await using sink = await startEndpointSink()
  await using webhooks = await run.startWebhooks()
  const { organizationId, secret } = await run.subscribe(sink)
  const never = new Promise(() => {})
  sink.respondWith((_, count) => ({ status: 200, ...(count === 1 && { after: never }) }))
  const id = await run.outside.publish(organizationId)
  await eventually(() => expect(sink.received).toHaveLength(1))
  // Signature timestamps have a resolution of one second.
  const second = Number(sink.received[0]?.headers['webhook-timestamp'])
  await eventually(() => expect(Math.floor(Date.now() / 1000)).toBeGreaterThan(second))
  await webhooks.kill()
  await using again = await run.startWebhooks()
  await again.untilReady()
  await run.untilSucceeded([id])
  expect(sink.received.map(readEventId)).toEqual([id, id])
  expect(Number(sink.received[1]?.headers['webhook-timestamp'])).toBeGreaterThan(second)
  expectAllDelivered(sink.received, { ids: [id], secret })
})

test('sends exactly one more POST after a kill between response and stored result [fault 7]', async () => {
  await using sink = await startEndpointSink()
  await using webhooks = await run.startWebhooks()
  const { organizationId, secret } = await run.subscribe(sink)
  const id = await run.killBehindLock(webhooks, { table: 'webhook_attempts', organizationId })
  await using again = await run.startWebhooks()
  await again.untilReady()
  await run.untilSucceeded([id])
  expect(acceptedIds(sink)).toEqual([id, id])
  expectAllDelivered(sink.received, { ids: [id], secret })
})

/** Publishes an event every ten milliseconds until `stop`, which returns the ids. */
function publishContinuously(organizationId: string): { stop(): Promise<string[]> } {
  const ids: string[] = []
  let isStopped = false
  const publishing = (async () => {
    while (!isStopped && ids.length < 5_000) {
      ids.push(await run.outside.publish(organizationId))
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
  const start = async () => stack.use(await run.startWebhooks())
  await using sink = await startEndpointSink()
  const replicas = await Promise.all([start(), start(), start()])
  const { organizationId, secret } = await run.subscribe(sink)
  const publishing = publishContinuously(organizationId)
  for (const replica of replicas) {
    await untilMoreReceived(sink, 150)
    await replica.kill()
    await start()
  }
  await untilMoreReceived(sink, 50)
  const ids = await publishing.stop()
  await run.untilSucceeded(ids)
  // A kill repeats only POSTs in progress and unsaved results, regardless of the number of events: 2 % of 500 per second with a kill every
  // 2.5 s.
  expect(acceptedIds(sink).length - ids.length).toBeLessThan(replicas.length * 25)
  expectAllDelivered(sink.received, { ids, secret })
})

test('loses and repeats nothing during a rolling restart under load [fault 9]', async () => {
  await using stack = new AsyncDisposableStack()
  const start = async () => stack.use(await run.startWebhooks())
  await using sink = await startEndpointSink()
  const replicas = await Promise.all([start(), start()])
  const { organizationId, secret } = await run.subscribe(sink)
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
  await run.untilSucceeded(ids)
  expect(acceptedIds(sink)).toHaveLength(ids.length)
  expectAllDelivered(sink.received, { ids, secret })
})

import { orderCreated, orderPaid } from '@quittance/contracts/orders'
import { orderRefunded } from '@quittance/contracts/refunds'
import { durableConsumers, eventStream } from '@quittance/contracts/streams'
import type { WebhookEventFilter } from '@quittance/contracts/webhook-event-types'
import { updateWebhookEndpoint } from '@quittance/contracts/webhooks'
import { resetDurable } from '@quittance/runtime/internal/messaging/event-reader'
import { startEndpointSink } from '@quittance/testing/endpoint-sink'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { startWebhooks, type TestWebhooks } from './start-webhooks.ts'

const { durable } = durableConsumers.webhooksPublicEvents

/** Waits until the consumer has handled every event of the stream. */
async function awaitConsumed({ connection }: TestWebhooks): Promise<void> {
  const { consumers } = await connection.jetstreamManager({ checkAPI: false })
  await eventually(async () => {
    const { num_pending, num_ack_pending } = await consumers.info(eventStream.name, durable)
    expect({ num_pending, num_ack_pending }).toEqual({ num_pending: 0, num_ack_pending: 0 })
  })
}

test('a replay brings no event to an endpoint that was registered after it', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  for (let count = 0; count < 5; count++) await webhooks.publishEvents([orderPaid])
  await awaitConsumed(webhooks)
  await webhooks.endpoint({ url: sink.url })
  expect(await resetDurable(webhooks.connection, { durable, since: new Date(Date.now() - 3_600_000) })).toBe(5)
  const ids = await webhooks.publishEvents([orderPaid])
  await eventually(async () => expect(await webhooks.statuses()).toEqual({ succeeded: 1 }))
  await awaitConsumed(webhooks)
  expect(sink.received.map(({ headers }) => headers['webhook-id'])).toEqual(ids)
  expect(await webhooks.statuses()).toEqual({ succeeded: 1 })
})

test('a replay brings no event from before its type was selected', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  const { id } = await webhooks.endpoint({ url: sink.url, events: ['order.paid'] })
  const [paid] = await webhooks.publishEvents([orderPaid])
  await webhooks.publishEvents([orderCreated, orderRefunded])
  await awaitConsumed(webhooks)
  const select = (events: WebhookEventFilter[]) => webhooks.call(updateWebhookEndpoint, { id, events }, webhooks.caller)
  await select(['order.*'])
  const [refunded] = await webhooks.publishEvents([orderRefunded])
  await awaitConsumed(webhooks)
  await select(['order.paid', 'order.refunded'])
  await webhooks.rows('begin; delete from inbox_messages; delete from webhook_deliveries; delete from webhook_events; commit')
  sink.received.length = 0
  await resetDurable(webhooks.connection, { durable, since: new Date(Date.now() - 3_600_000) })
  await eventually(async () => expect(await webhooks.statuses()).toEqual({ succeeded: 2 }))
  await awaitConsumed(webhooks)
  expect(new Set(sink.received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([paid, refunded]))
  expect(await webhooks.statuses()).toEqual({ succeeded: 2 })
})

test('a type that is unselected and selected again counts from the later time', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  const { id } = await webhooks.endpoint({ url: sink.url, events: ['order.paid', 'order.created'] })
  const select = (events: WebhookEventFilter[]) => webhooks.call(updateWebhookEndpoint, { id, events }, webhooks.caller)
  await select(['order.created'])
  await webhooks.publishEvents([orderPaid])
  await awaitConsumed(webhooks)
  await select(['order.paid'])
  await resetDurable(webhooks.connection, { durable, since: new Date(Date.now() - 3_600_000) })
  const ids = await webhooks.publishEvents([orderPaid])
  await eventually(async () => expect(await webhooks.statuses()).toEqual({ succeeded: 1 }))
  await awaitConsumed(webhooks)
  expect(sink.received.map(({ headers }) => headers['webhook-id'])).toEqual(ids)
})

test('a replay starts at its time although the service recreates its consumer during the reset', async () => {
  await using webhooks = await startWebhooks()
  await webhooks.publishEvents([orderPaid, orderPaid])
  await awaitConsumed(webhooks)
  const manager = await webhooks.connection.jetstreamManager({ checkAPI: false })
  const { consumers } = manager
  const { config } = await consumers.info(eventStream.name, durable)
  const deleteConsumer = consumers.delete.bind(consumers)
  const earlier = { ...config, deliver_policy: 'by_start_sequence' as typeof config.deliver_policy, opt_start_seq: 2 }
  let recreated = 0
  consumers.delete = async (...name) => {
    const isDeleted = await deleteConsumer(...name)
    if (recreated++ === 0) await consumers.add(eventStream.name, earlier)
    return isDeleted
  }
  const since = new Date(Date.now() - 3_600_000)
  expect(await resetDurable({ jetstreamManager: () => Promise.resolve(manager) }, { durable, since })).toBe(2)
  // The service under test may recreate it too.
  expect(recreated).toBeGreaterThanOrEqual(2)
  const { deliver_policy, opt_start_time } = (await consumers.info(eventStream.name, durable)).config
  expect([deliver_policy, Date.parse(opt_start_time ?? '')]).toEqual(['by_start_time', since.getTime()])
})

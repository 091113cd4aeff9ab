/** The circuit breaker of an endpoint across leases of its queue and requests of the seller. */
import { orderPaid } from '@quittance/contracts/orders'
import { redeliverWebhookEvent } from '@quittance/contracts/webhook-deliveries'
import { getWebhookEndpointStats, recoverWebhookEndpoint, testWebhookEndpoint, updateWebhookEndpoint } from '@quittance/contracts/webhooks'
import { startEndpointSink } from '@quittance/testing/endpoint-sink'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { startWebhooks, type TestWebhooks } from './start-webhooks.ts'

process.env['RETRY_SCHEDULE_S'] = '3600'

/** Waits until all queues are idle and no replica has a lease. */
const awaitRelease = (webhooks: TestWebhooks) =>
  eventually(async () => expect(await webhooks.rows('select from webhook_lanes where owner is not null')).toEqual([]))

/** Opens the circuit breakers of all endpoints. */
async function openBreakers(webhooks: TestWebhooks) {
  await awaitRelease(webhooks)
  await webhooks.rows(`update webhook_lanes set paused_until = now() + interval '1 hour', trips = 8`)
}

test('an example, a redelivery and a recovery are sent at once while the circuit breaker is open', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  const { id, created_at: since } = await webhooks.endpoint({ url: sink.url })
  const [first] = (await webhooks.publishEvents([orderPaid])) as [string]
  await webhooks.attempts({ id }, 1)
  await openBreakers(webhooks)
  await webhooks.call(testWebhookEndpoint, { id, type: 'order.paid' }, webhooks.caller)
  await eventually(() => expect(sink.received).toHaveLength(2))
  await webhooks.attempts({ id }, 2)
  await openBreakers(webhooks)
  await webhooks.call(redeliverWebhookEvent, { id: first }, webhooks.caller)
  await webhooks.attempts({ id }, 3)
  await openBreakers(webhooks)
  await webhooks.rows(`update webhook_deliveries set status = 'failed' where event_id = $1`, [first])
  await webhooks.call(recoverWebhookEndpoint, { id, since }, webhooks.caller)
  await webhooks.attempts({ id }, 4)
})

test('an event does not delay a queue that is due while the circuit breaker is open', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  await webhooks.endpoint({ url: sink.url })
  await openBreakers(webhooks)
  for (const count of [1, 2]) {
    await webhooks.publishEvents([orderPaid])
    await eventually(async () => expect(await webhooks.rows('select from webhook_deliveries')).toHaveLength(count))
  }
  const oldest = `(select min(d.next_attempt_at) from webhook_deliveries d where d.status = 'pending')`
  expect(await webhooks.rows(`select next_due_at = ${oldest} as "isDue" from webhook_lanes`)).toEqual([{ isDue: true }])
})

test('events wait while the circuit breaker is open; enabling the endpoint sends them', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  const { id } = await webhooks.endpoint({ url: sink.url })
  await openBreakers(webhooks)
  await webhooks.publishEvents([orderPaid])
  await eventually(async () => expect(await webhooks.statuses()).toEqual({ pending: 1 }))
  const { paused_until } = await webhooks.call(getWebhookEndpointStats, { id }, webhooks.caller)
  expect(paused_until).not.toBeNull()
  expect(sink.received).toHaveLength(0)
  await webhooks.call(updateWebhookEndpoint, { id, enabled: true }, webhooks.caller)
  await webhooks.attempts({ id }, 1)
})

test('the circuit breaker opens at the fifth failure although the queue is idle in between', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  sink.respondWith(() => ({ status: 503 }))
  const { id } = await webhooks.endpoint({ url: sink.url })
  for (let count = 1; count <= 5; count++) {
    expect(await webhooks.call(getWebhookEndpointStats, { id }, webhooks.caller)).toMatchObject({ paused_until: null })
    await webhooks.publishEvents([orderPaid])
    await webhooks.attempts({ id }, count)
    await awaitRelease(webhooks)
  }
  const { paused_until } = await webhooks.call(getWebhookEndpointStats, { id }, webhooks.caller)
  expect(paused_until).not.toBeNull()
  await webhooks.call(updateWebhookEndpoint, { id, enabled: true }, webhooks.caller)
  const state = await webhooks.rows('select trips, failures, failed_events from webhook_lanes')
  expect(state).toEqual([{ trips: 0, failures: 0, failed_events: [] }])
})

test('a success ends the count of failures of earlier leases', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  sink.respondWith((_, count) => ({ status: count === 5 ? 200 : 503 }))
  const { id } = await webhooks.endpoint({ url: sink.url })
  for (let count = 1; count <= 6; count++) {
    await webhooks.publishEvents([orderPaid])
    await webhooks.attempts({ id }, count)
  }
  expect(await webhooks.rows('select failures, paused_until from webhook_lanes')).toEqual([{ failures: 1, paused_until: null }])
})

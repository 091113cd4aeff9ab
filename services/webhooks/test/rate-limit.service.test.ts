import { createWebhookEndpoint, updateWebhookEndpoint } from '@quittance/contracts/webhooks'
import { startEndpointSink } from '@quittance/testing/endpoint-sink'
import { eventually } from '@quittance/testing/eventually'
import { scale } from '@quittance/testing/scale'
import { expect, test } from 'vitest'
import { paidOrderEvents, startWebhooks } from './start-webhooks.ts'

const seconds = scale(3, 6)

// How much of a limit is used depends on the machine too: `rate-limiter.test.ts` demands 95 % at given times, the benchmark `rate-limit` measures it.
test.each([10, 40, 200])('never exceeds a limit of %i per second, and delivers every event', async (limit) => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  const endpoint = { url: sink.url, events: ['order.*' as const], rate_limit: limit }
  const { id } = await webhooks.call(createWebhookEndpoint, endpoint, webhooks.caller)
  const orders = Math.ceil((limit * seconds) / paidOrderEvents.length) + 1
  await Promise.all(Array.from({ length: orders }, () => webhooks.publishEvents(paidOrderEvents)))
  const count = orders * paidOrderEvents.length
  await eventually(() => expect(sink.received).toHaveLength(count))
  const times = sink.received.map(({ at }) => at - (sink.received[0]?.at ?? 0))
  // A tenth of a second is left to a busy machine: POSTs may be delayed on their way.
  for (let second = 1; second <= seconds; second++) {
    expect(times.filter((at) => at < second * 1_000 - 100).length, `in ${second} s`).toBeLessThanOrEqual(second * limit)
  }
  expect(new Set(sink.received.map(({ headers }) => headers['webhook-id'])).size).toBe(count)
  expect(await webhooks.call(updateWebhookEndpoint, { id, rate_limit: null }, webhooks.caller)).toMatchObject({ rate_limit: null })
})

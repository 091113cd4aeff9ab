import { createWebhookEndpoint, updateWebhookEndpoint } from '@quittance/contracts/webhooks'
import { startEndpointSink } from '@quittance/testing/endpoint-sink'
import { eventually } from '@quittance/testing/eventually'
import { scale } from '@quittance/testing/scale'
import { expect, test } from 'vitest'
import { paidOrderEvents, startWebhooks } from './start-webhooks.ts'

const seconds = scale(3, 6)

test.each([10, 40, 200])('uses a limit of %i per second to at least 95 %, and never exceeds it', async (limit) => {
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
  // The backlog exists from the first second on. Here too a tenth of a second is left to a busy machine.
  const from = times.findIndex((at) => at >= 1_000)
  const lastedMs = (times.at(-1) ?? 0) - (times[from] ?? 0)
  expect(lastedMs).toBeLessThanOrEqual(((count - 1 - from) / (0.95 * limit)) * 1_000 + 100)
  expect(await webhooks.call(updateWebhookEndpoint, { id, rate_limit: null }, webhooks.caller)).toMatchObject({ rate_limit: null })
})

import { expect, test } from 'vitest'
import { continueTrace, startSpan, startTracing } from './trace.ts'

const given = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const off = {
  OTEL_EXPORTER_OTLP_ENDPOINT: undefined,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: undefined,
  OTEL_TRACES_EXPORTER: 'otlp',
  OTEL_SDK_DISABLED: false,
  OTEL_TRACES_SAMPLER_ARG: 1,
  OTEL_BSP_SCHEDULE_DELAY: 5_000,
} as const

test('without a collector a step goes on with the trace it is given, under an id of its own, and costs no more', async () => {
  expect(await startTracing('orders', off)).toBeNull()
  const span = startSpan('orders.order.get', 'server', given)
  expect(span.traceparent).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/)
  expect(span.traceparent).not.toBe(given)
  span.end({ failed: new Error('seen by nobody') })
})

test('a word that is no trace context begins a new trace', () => {
  for (const word of [undefined, '', 'nonsense', `${given}x`]) expect(continueTrace(word)).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/)
})

test('the usual variables switch it off although a collector is named', async () => {
  const named = { ...off, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }
  expect(await startTracing('orders', { ...named, OTEL_SDK_DISABLED: true })).toBeNull()
  expect(await startTracing('orders', { ...named, OTEL_TRACES_EXPORTER: 'none' })).toBeNull()
})

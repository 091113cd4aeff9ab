import { expect, test } from 'vitest'
import { continueTrace, startSpan, startTracing } from './tracing.ts'

const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const settings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: undefined,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: undefined,
  OTEL_TRACES_EXPORTER: 'otlp',
  OTEL_SDK_DISABLED: false,
  OTEL_TRACES_SAMPLER_ARG: 1,
  OTEL_BSP_SCHEDULE_DELAY: 5_000,
} as const

test('without a collector a span continues the given trace under a new id', async () => {
  expect(await startTracing('orders', settings)).toBeNull()
  const span = startSpan('orders.order.get', 'server', parent)
  expect(span.traceparent).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/)
  expect(span.traceparent).not.toBe(parent)
  span.end({ failed: new Error('not recorded') })
})

test('an invalid trace context starts a new trace', () => {
  const zeros = [parent.replace(/[0-9a-f]{32}/, '0'.repeat(32)), parent.replace(/[0-9a-f]{16}-01/, `${'0'.repeat(16)}-01`)]
  for (const text of [undefined, '', 'nonsense', `${parent}x`, ...zeros])
    expect(continueTrace(text)).toMatch(/^00-(?!0{32})[0-9a-f]{32}-[0-9a-f]{16}-00$/)
})

test('standard variables disable tracing although a collector is set', async () => {
  const named = { ...settings, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }
  expect(await startTracing('orders', { ...named, OTEL_SDK_DISABLED: true })).toBeNull()
  expect(await startTracing('orders', { ...named, OTEL_TRACES_EXPORTER: 'none' })).toBeNull()
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '@quittance/testing/eventually'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWebhookReceiver, type WebhookReceiver } from '../src/demo/webhook-receiver.ts'
import { apiClient } from '../src/api-client.ts'
import { startInstance, type Instance, type Running } from '../src/supervisor/instance.ts'
import { parseStartOptions } from '../src/supervisor/start-options.ts'
import { startTraceCollector, type TraceCollector } from './trace-collector.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const clientSpan = 'b7ad6b7169203331'
let collector: TraceCollector
let instance: Instance
let running: Running
let receiver: WebhookReceiver

beforeAll(async () => {
  collector = await startTraceCollector()
  receiver = await startWebhookReceiver()
  // Settings of this test run for services under test are not this system's.
  const { BASE_URL: _, ...given } = process.env
  const traces = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '100' }
  const options = parseStartOptions(['--ephemeral', '--port', '0', '--seed', 'demo'])
  instance = startInstance({ ...options, userEnvironment: { ...given, ...traces }, report: () => {}, notify: () => {} })
  running = await instance.ready
})
afterAll(async () => {
  await instance?.stop()
  receiver?.close()
  collector?.close()
})

/** Confirms a checkout as a client that traces. */
async function sell(): Promise<void> {
  const { base_url: origin, demo } = running.facts()
  const api = apiClient({ origin, token: demo?.organization_access_token ?? '' })
  const endpoint = { url: receiver.url, format: 'raw', events: ['order.paid'] }
  const { secret } = await api.send<{ secret: string }>('POST', { path: '/v1/webhooks/endpoints', body: endpoint, expect: 201 })
  receiver.trust(secret)
  const wanted = { products: [demo?.product_id], customer_id: demo?.customer_id }
  const checkout = await api.send<{ client_secret: string }>('POST', { path: '/v1/checkouts/', body: wanted, expect: 201 })
  const response = await fetch(`${origin}/v1/checkouts/client/${checkout.client_secret}/confirm`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', traceparent: `00-${traceId}-${clientSpan}-01` },
    // Settled by the job, after the reply.
    body: JSON.stringify({ confirmation_token_id: 'ctoken_slow' }),
  })
  expect(response.status).toBe(200)
  await receiver.waitFor(({ type }) => type === 'order.paid')
}

const traced = () => collector.spans.filter((span) => span.traceId === traceId)
const named = (service: string, name: string) => traced().filter((span) => span.service === service && span.name === name)

test('records one sale as one trace from client to webhook endpoint, through every service', async () => {
  await sell()
  // Spans arrive when each service exports its own.
  await eventually(() => {
    const [gateway] = named('gateway', 'POST /v1/checkouts/client/:client_secret/confirm')
    const [confirmed] = named('orders', 'orders.checkout.confirm')
    const paid = named('orders', 'settle-due-payments')
    const [published] = named('orders', 'event.order.paid')
    expect(gateway?.parentSpanId).toBe(clientSpan)
    expect(confirmed?.parentSpanId).toBe(gateway?.spanId)
    expect(new Set(paid.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([confirmed?.spanId]))
    expect(paid.map(({ spanId }) => spanId)).toContain(published?.parentSpanId)
    expect(named('webhooks', 'webhooks-public-events').map(({ parentSpanId }) => parentSpanId)).toContain(published?.spanId)
    const consumed = named('webhooks', 'webhooks-public-events').find(({ parentSpanId }) => parentSpanId === published?.spanId)
    expect(named('webhooks', 'delivery.attempt').map(({ parentSpanId }) => parentSpanId)).toContain(consumed?.spanId)
    // No span is an orphan: every span but the first has a parent that was exported.
    const known = new Set([clientSpan, ...traced().map(({ spanId }) => spanId)])
    expect(traced().filter(({ parentSpanId }) => !known.has(parentSpanId))).toEqual([])
  })
  expect(traced().filter(({ isFailed }) => isFailed)).toEqual([])
})

test('log lines contain the trace: the gateway logs every request, a service what it rejected', async () => {
  const rejected = '4bf92f3577b34da6a3ce929d0e0e4736'
  const { base_url: origin } = running.facts()
  const response = await fetch(`${origin}/v1/checkouts/client/polar_cs_of_nobody/confirm`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', traceparent: `00-${rejected}-${clientSpan}-01` },
    body: JSON.stringify({ confirmation_token_id: 'ctoken_ok' }),
  })
  expect(response.status).toBe(404)
  const logs = join(running.dataDir, 'logs')
  const readLines = (file: string) => readFileSync(join(logs, file), 'utf8').split('\n')
  const findLines = (file: string, trace: string) => readLines(file).filter((line) => line.includes(`"trace_id":"${trace}"`))
  await eventually(() => {
    expect(findLines('gateway-1.log', traceId)).toHaveLength(1)
    expect(findLines('gateway-1.log', rejected)).toHaveLength(1)
    expect(findLines('orders-1.log', rejected).filter((line) => line.includes('orders.checkout.confirm.handled'))).toHaveLength(1)
  })
})

/** Words of an expression that are not metrics: functions, labels, and text in quotes or brackets. */
const grammar = /\bby \([^)]*\)|\b(sum|max|abs|topk|rate|increase|absent|or|histogram_quantile)\b|\{[^}]*\}|\[[^\]]*\]/g

function metricsIn(text: string): string[] {
  return text.replaceAll(grammar, ' ').match(/[a-z][a-z0-9]*_[a-z0-9_]+|\bdead_letters\b/g) ?? []
}

test('a service exposes every metric that an alert or the dashboard uses', async () => {
  const folder = join(import.meta.dirname, '../../infra/observability')
  const { panels } = JSON.parse(readFileSync(join(folder, 'dashboard.json'), 'utf8')) as { panels: { targets: { expr: string }[] }[] }
  const alerts = readFileSync(join(folder, 'alerts.yaml'), 'utf8').matchAll(/^ +expr: '(.*)'$/gm)
  const asked = [...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)), ...[...alerts].map(([, expr]) => expr as string)]
  expect(asked.length).toBeGreaterThan(25)
  const pages = await Promise.all(
    Object.values(running.facts().services)
      .flat()
      .map(async ({ health_url }) => (await fetch(new URL('/metrics', health_url))).text()),
  )
  const types = [...pages.join('\n').matchAll(/^# TYPE (\w+) (\w+)$/gm)]
  const parts = (name: string) => ['_bucket', '_count', '_sum'].map((part) => `${name}${part}`)
  const exposed = new Set(types.flatMap(([, name = '', type]) => (type === 'histogram' ? parts(name) : [name])))
  expect([...new Set(asked.flatMap(metricsIn))].filter((name) => !exposed.has(name))).toEqual([])
  expect(metricsIn('sum by (le, label_name) (rate(no_such_metric_total{a="b_c"}[5m])) > 1')).toEqual(['no_such_metric_total'])
})

test('an alert fires if a service has no running process', () => {
  const alerts = readFileSync(join(import.meta.dirname, '../../infra/observability/alerts.yaml'), 'utf8')
  const watched = [...alerts.matchAll(/absent\(process_start_time_seconds\{service="(\w+)"\}\)/g)].map(([, service]) => service)
  expect(new Set(watched)).toEqual(new Set(Object.keys(running.facts().services)))
})

test('every alert links to a chapter of the handbook, which has its first check', () => {
  const root = join(import.meta.dirname, '../..')
  const handbook = readFileSync(join(root, 'docs/operations.md'), 'utf8')
  const titles = [...handbook.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title)
  const chapters = new Set(titles.map((title) => title.toLowerCase().replaceAll(' ', '-')))
  const alerts = readFileSync(join(root, 'infra/observability/alerts.yaml'), 'utf8')
  const names = [...alerts.matchAll(/- alert: (\w+)/g)].map(([, name]) => name)
  expect(names.filter((name) => !handbook.includes(`\`${name}\``))).toEqual([])
  const named = [...alerts.matchAll(/runbook: 'docs\/operations\.md#(.+)'/g)].map(([, chapter]) => chapter)
  expect(named).toHaveLength(alerts.split('- alert: ').length - 1)
  expect(named.filter((chapter) => !chapters.has(chapter as string))).toEqual([])
})

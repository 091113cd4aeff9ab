import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { acceptWaiting } from './accept-waiting.ts'

/** Metrics of this process. */
export const metrics = new Registry()

/** Counts what a service alone can know; `name` ends with `_total`. */
export function countOf(name: string, help: string, labels: readonly string[] = []): Pick<Counter, 'inc'> {
  return new Counter({ name, help, labelNames: [...labels], registers: [metrics] })
}

/** Measures how something is spread. */
export function histogramOf(
  name: string,
  help: string,
  { labels = [], buckets }: { labels?: readonly string[]; buckets: readonly number[] },
): Pick<Histogram, 'observe'> {
  return new Histogram({ name, help, labelNames: [...labels], buckets: [...buckets], registers: [metrics] })
}

interface GaugeOptions {
  labels?: readonly string[]
  /** Called at every reading; what it throws leaves the value as it was. */
  collect(gauge: Pick<Gauge, 'set'>): Promise<void> | void
}

/** Shows a value that is found out when it is read. One that is opened again takes the place of the one before. */
export function gaugeOf(name: string, help: string, { labels = [], collect }: GaugeOptions): void {
  metrics.removeSingleMetric(name)
  new Gauge({
    name,
    help,
    labelNames: [...labels],
    registers: [metrics],
    async collect() {
      await Promise.resolve()
        .then(() => collect(this))
        .catch(() => {})
    },
  })
}

/** One reason to be ready or not, asked at every `/readyz`. */
export type ReadinessCheck = () => Promise<boolean> | boolean

/** A service's own HTTP routes on the internal port; answers false for a path that is not its own. */
export type InternalRoutes = (request: IncomingMessage, response: ServerResponse) => boolean

interface HealthOptions {
  host: string
  port: number
  checks: Record<string, ReadinessCheck>
  routes?: InternalRoutes | undefined
}

/** The small internal server: `/livez`, `/readyz`, `/metrics`, and what the service adds. */
export interface HealthServer {
  port: number
  /** From now on `/readyz` answers 503, so that no new work comes in while the rest drains. */
  refuse(): void
  close(): Promise<void>
}

export async function startHealth({ host, port, checks, routes }: HealthOptions): Promise<HealthServer> {
  let refusing = false
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url?.split('?')[0]
    if (path === '/livez') return send(response, 200, { status: 'ok' })
    if (path === '/readyz') {
      const failed = refusing ? ['stopping'] : await failing(checks)
      return send(response, failed.length ? 503 : 200, { status: failed.length ? 'not ready' : 'ok', failed })
    }
    if (path === '/metrics') {
      response.setHeader('content-type', metrics.contentType)
      return response.end(await metrics.metrics())
    }
    if (!routes?.(request, response)) send(response, 404, { error: 'ResourceNotFound', detail: 'Not found' })
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(
      () => response.headersSent || send(response, 500, { error: 'InternalServerError', detail: 'Internal error' }),
    )
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve))
  return {
    port: (server.address() as AddressInfo).port,
    refuse: () => void (refusing = true),
    async close() {
      await acceptWaiting(server)
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeIdleConnections()
      })
    },
  }
}

/** An engine that is frozen rather than gone answers nothing at all. */
const checkWithinMs = 2_000

async function failing(checks: Record<string, ReadinessCheck>): Promise<string[]> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      const overdue = delay(checkWithinMs, false, { ref: false })
      return [name, await Promise.race([Promise.resolve(check()).catch(() => false), overdue])] as const
    }),
  )
  return results.filter(([, ok]) => !ok).map(([name]) => name)
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

/** Begins to collect the process metrics of Node; once per process. */
export function collectProcessMetrics(service: string): void {
  if (metrics.getSingleMetric('process_cpu_user_seconds_total')) return
  metrics.setDefaultLabels({ service })
  collectDefaultMetrics({ register: metrics, eventLoopMonitoringPrecision: 200 })
}

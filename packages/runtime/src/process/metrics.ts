import { setTimeout as delay } from 'node:timers/promises'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

/** Metrics of this process. */
export const metrics = new Registry()

/** Prometheus sets these labels on every target, and renames those of a metric: an alert would group by the wrong ones. */
const targetLabels = new Set(['job', 'instance'])

function assertLabels(name: string, labels: readonly string[]): void {
  const reserved = labels.filter((label) => targetLabels.has(label))
  if (reserved.length > 0) throw new Error(`The metric ${name} has a label that Prometheus sets: ${reserved.join(', ')}`)
}

/** Registers a counter of the service; `name` ends with `_total`. */
export function counter(name: string, help: string, labels: readonly string[] = []): Pick<Counter, 'inc'> {
  assertLabels(name, labels)
  return new Counter({ name, help, labelNames: [...labels], registers: [metrics] })
}

/** Registers a histogram. */
export function histogram(
  name: string,
  help: string,
  { labels = [], buckets }: { labels?: readonly string[]; buckets: readonly number[] },
): Pick<Histogram, 'observe'> {
  assertLabels(name, labels)
  return new Histogram({ name, help, labelNames: [...labels], buckets: [...buckets], registers: [metrics] })
}

interface GaugeOptions {
  labels?: readonly string[]
  /**
   * Called on a read, one call at a time. If it throws or takes too long, the read returns the last value, and `gauge_read_failures_total`
   * counts it.
   */
  collect(gauge: Pick<Gauge, 'set'>): Promise<void> | void
}

/**
 * Milliseconds a read waits for a value: longer than a readiness check, which is a value too. Prometheus waits 10 s for all of them, and
 * without a reply it takes the process for down.
 */
const collectTimeoutMs = 3_000

const readFailures = counter('gauge_read_failures_total', 'Reads of a gauge that failed or took too long: it shows an earlier value.', [
  'gauge',
])

/** Registers a gauge whose value is determined on read. Registering a name again replaces the previous gauge. */
export function gauge(name: string, help: string, { labels = [], collect }: GaugeOptions): void {
  assertLabels(name, labels)
  metrics.removeSingleMetric(name)
  let inProgress: Promise<boolean> | null = null
  new Gauge({
    name,
    help,
    labelNames: [...labels],
    registers: [metrics],
    async collect() {
      inProgress ??= Promise.resolve()
        .then(() => collect(this))
        .then(
          () => true,
          () => false,
        )
        .finally(() => (inProgress = null))
      const isRead = await Promise.race([inProgress, delay(collectTimeoutMs, false, { ref: false })])
      if (!isRead) readFailures.inc({ gauge: name })
    },
  })
}

/** Registers the process metrics of Node; once per process. */
export function collectProcessMetrics(service: string): void {
  if (metrics.getSingleMetric('process_cpu_user_seconds_total')) return
  metrics.setDefaultLabels({ service })
  collectDefaultMetrics({ register: metrics, eventLoopMonitoringPrecision: 500 })
}

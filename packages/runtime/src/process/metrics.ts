import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

/** Metrics of this process. */
export const metrics = new Registry()

/** Registers a counter of the service; `name` ends with `_total`. */
export function counter(name: string, help: string, labels: readonly string[] = []): Pick<Counter, 'inc'> {
  return new Counter({ name, help, labelNames: [...labels], registers: [metrics] })
}

/** Registers a histogram. */
export function histogram(
  name: string,
  help: string,
  { labels = [], buckets }: { labels?: readonly string[]; buckets: readonly number[] },
): Pick<Histogram, 'observe'> {
  return new Histogram({ name, help, labelNames: [...labels], buckets: [...buckets], registers: [metrics] })
}

interface GaugeOptions {
  labels?: readonly string[]
  /** Called on every read; if it throws, the value is unchanged. */
  collect(gauge: Pick<Gauge, 'set'>): Promise<void> | void
}

/** Registers a gauge whose value is determined on read. Registering a name again replaces the previous gauge. */
export function gauge(name: string, help: string, { labels = [], collect }: GaugeOptions): void {
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

/** Registers the process metrics of Node; once per process. */
export function collectProcessMetrics(service: string): void {
  if (metrics.getSingleMetric('process_cpu_user_seconds_total')) return
  metrics.setDefaultLabels({ service })
  collectDefaultMetrics({ register: metrics, eventLoopMonitoringPrecision: 500 })
}

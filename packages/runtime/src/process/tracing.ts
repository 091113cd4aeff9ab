import { randomUUID } from 'node:crypto'
import type * as OpenTelemetry from '@opentelemetry/api'
import type { RuntimeConfig } from './config.ts'
import type { Closeable } from './shutdown.ts'

/** Ids of zeros are invalid (W3C Trace Context, 3.2.2.3 and 3.2.2.4). */
const valid = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/** Null without a collector: then a span is only an id to propagate, and the library is not loaded. */
let exporter: { tracer: OpenTelemetry.Tracer; api: typeof OpenTelemetry } | null = null

/**
 * Returns the W3C trace context of one unit of work: continues the given one or starts a new one. With a collector the given one is
 * returned unchanged, so that child spans refer to an existing span.
 */
export function continueTrace(traceparent: string | undefined): string {
  const isValid = traceparent !== undefined && valid.test(traceparent)
  if (isValid && exporter) return traceparent
  const span = randomHex().slice(0, 16)
  if (isValid) return `00-${traceparent.slice(3, 35)}-${span}-${traceparent.slice(53)}`
  return `00-${randomHex()}-${span}-${exporter ? '01' : '00'}`
}

/** 32 hexadecimal digits. From a UUID, because Node draws those from a pool; `randomBytes` makes a system call each time. */
function randomHex(): string {
  return randomUUID().replaceAll('-', '')
}

/** One span of a trace. */
export interface Span {
  /** Trace context to propagate to work of this span. */
  traceparent: string
  /** Ends the span; `failed` marks it as an internal error. */
  end(outcome?: { failed?: unknown; attributes?: OpenTelemetry.Attributes }): void
}

/** Kind of a span: request handled, event published, event consumed, outgoing call, or internal work. */
export type SpanKindName = 'server' | 'producer' | 'consumer' | 'client' | 'internal'

const kinds = { server: 'SERVER', producer: 'PRODUCER', consumer: 'CONSUMER', client: 'CLIENT', internal: 'INTERNAL' } as const

const noop = () => {}

/** Starts a span of the trace in `parent`, or of a new trace if there is none. */
export function startSpan(name: string, role: SpanKindName, parent: string | null | undefined): Span {
  if (!exporter) return { traceparent: continueTrace(parent ?? undefined), end: noop }
  const { tracer, api } = exporter
  const span = tracer.startSpan(name, { kind: api.SpanKind[kinds[role]] }, extractContext(api, parent))
  const { traceId, spanId, traceFlags } = span.spanContext()
  return {
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    end({ failed, attributes } = {}) {
      if (attributes) span.setAttributes(attributes)
      if (failed !== undefined) span.setStatus({ code: api.SpanStatusCode.ERROR, message: failed instanceof Error ? failed.name : 'Error' })
      span.end()
    },
  }
}

/** Runs work within spans and ends them with its outcome. */
export async function withSpans<T>(spans: readonly Span[], work: () => Promise<T>): Promise<T> {
  let failed: unknown
  try {
    return await work()
  } catch (error) {
    failed = error
    throw error
  } finally {
    for (const span of spans) span.end({ failed })
  }
}

function extractContext({ ROOT_CONTEXT, trace }: typeof OpenTelemetry, parent: string | null | undefined): OpenTelemetry.Context {
  if (!parent || !valid.test(parent)) return ROOT_CONTEXT
  const [, traceId, spanId, flags] = parent.split('-') as [string, string, string, string]
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true })
}

type TraceSettings = Pick<RuntimeConfig, `OTEL_${string}` & keyof RuntimeConfig>

/**
 * Starts exporting spans if the environment sets a collector (OTLP over HTTP, as JSON); otherwise returns null at no cost. The exporter
 * reads the other `OTEL_EXPORTER_OTLP_…` variables itself.
 */
export async function startTracing(service: string, settings: TraceSettings): Promise<Closeable | null> {
  const endpoint = settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? settings.OTEL_EXPORTER_OTLP_ENDPOINT
  if (!endpoint || settings.OTEL_SDK_DISABLED || settings.OTEL_TRACES_EXPORTER === 'none') return null
  // Loaded lazily: most processes never need them.
  const [
    api,
    { BatchSpanProcessor, ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider },
    { OTLPTraceExporter },
    { resourceFromAttributes },
  ] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ])
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.namespace': 'quittance', 'service.instance.id': randomUUID() }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(settings.OTEL_TRACES_SAMPLER_ARG) }),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter(), scheduledDelayMillis: settings.OTEL_BSP_SCHEDULE_DELAY })],
  })
  exporter = { tracer: provider.getTracer('quittance'), api }
  return {
    name: 'traces',
    async close() {
      exporter = null
      // An unavailable collector must neither delay a stop nor make it fail.
      await provider.shutdown().catch(() => {})
    },
  }
}

import { randomUUID } from 'node:crypto'
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Attributes, type Context, type Tracer } from '@opentelemetry/api'
import type { RuntimeConfig } from './config.ts'
import type { Closer } from './shutdown.ts'

const valid = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/

/** Null while nobody collects: then a span is an id to hand on, and costs no more than that. */
let tracer: Tracer | null = null

/**
 * W3C trace context of one unit of work: goes on with the given one, or begins a new one. Where spans are collected a given one is handed on
 * as it is, so that what follows hangs on a span that exists.
 */
export function continueTrace(traceparent: string | undefined): string {
  const isGiven = traceparent !== undefined && valid.test(traceparent)
  if (isGiven && tracer) return traceparent
  const span = randomHex().slice(0, 16)
  if (isGiven) return `00-${traceparent.slice(3, 35)}-${span}-${traceparent.slice(53)}`
  return `00-${randomHex()}-${span}-${tracer ? '01' : '00'}`
}

/** 32 digits. A UUID, because Node draws those from a pool: `randomBytes` asks the system each time. */
function randomHex(): string {
  return randomUUID().replaceAll('-', '')
}

/** One step of a trace, from its start to its end. */
export interface Span {
  /** What is handed on to those who work for this step. */
  traceparent: string
  /** `failed` marks the step as an error of ours. */
  end(outcome?: { failed?: unknown; attributes?: Attributes }): void
}

/** What a step is on the way: an answer, a word that is told, a word that is heard, a call, or work of one's own. */
export type SpanRole = 'server' | 'producer' | 'consumer' | 'client' | 'internal'

const kinds = {
  server: SpanKind.SERVER,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
} as const

const nothing = () => {}

/** Begins a step of the trace that `parent` names; of a new trace where it names none. */
export function startSpan(name: string, role: SpanRole, parent: string | null | undefined): Span {
  if (!tracer) return { traceparent: continueTrace(parent ?? undefined), end: nothing }
  const span = tracer.startSpan(name, { kind: kinds[role] }, contextOf(parent))
  const { traceId, spanId, traceFlags } = span.spanContext()
  return {
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    end({ failed, attributes } = {}) {
      if (attributes) span.setAttributes(attributes)
      if (failed !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failed instanceof Error ? failed.name : 'Error' })
      span.end()
    },
  }
}

/** Does the work that these steps are, and ends them with what came of it. */
export async function traced<T>(spans: readonly Span[], work: () => Promise<T>): Promise<T> {
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

function contextOf(parent: string | null | undefined): Context {
  if (!parent || !valid.test(parent)) return ROOT_CONTEXT
  const [, traceId, spanId, flags] = parent.split('-') as [string, string, string, string]
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true })
}

type TraceSettings = Pick<RuntimeConfig, `OTEL_${string}` & keyof RuntimeConfig>

/**
 * Begins to send spans where the environment names a collector (OTLP over HTTP, as JSON); null and no cost where it names none. The
 * exporter reads the other `OTEL_EXPORTER_OTLP_…` variables itself.
 */
export async function startTracing(service: string, settings: TraceSettings): Promise<Closer | null> {
  const endpoint = settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? settings.OTEL_EXPORTER_OTLP_ENDPOINT
  if (!endpoint || settings.OTEL_SDK_DISABLED || settings.OTEL_TRACES_EXPORTER === 'none') return null
  // Loaded only now: most processes never need them.
  const [
    { BatchSpanProcessor, ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider },
    { OTLPTraceExporter },
    { resourceFromAttributes },
  ] = await Promise.all([
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ])
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.namespace': 'quittance', 'service.instance.id': randomUUID() }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(settings.OTEL_TRACES_SAMPLER_ARG) }),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter(), scheduledDelayMillis: settings.OTEL_BSP_SCHEDULE_DELAY })],
  })
  tracer = provider.getTracer('quittance')
  return {
    name: 'traces',
    async close() {
      tracer = null
      // A collector that is away must not hold up a stop, nor make it a failure.
      await provider.shutdown().catch(() => {})
    },
  }
}

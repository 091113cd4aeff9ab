import { z } from 'zod'

/** Settings every service understands; services add their own in `src/config.ts`. */
export const RuntimeConfig = z.object({
  NATS_URL: z.string().default('nats://127.0.0.1:4222').describe('NATS servers, comma-separated; user and password in the URL.'),
  STREAM_REPLICAS: z.coerce
    .number()
    .int()
    .min(1)
    .max(5)
    .default(1)
    .describe('On how many NATS servers every event is kept; 3 for a cluster of three. Raised where it is set higher, never lowered.'),
  DATABASE_URL: z.string().optional().describe('PostgreSQL database owned by this service.'),
  DATABASE_POOL_MAX: z.coerce.number().int().min(2).default(10).describe('Most connections the service opens to PostgreSQL.'),
  HEALTH_HOST: z.string().default('127.0.0.1').describe('Address of /livez, /readyz and /metrics.'),
  HEALTH_PORT: z.coerce.number().int().min(0).default(0).describe('Port of /livez, /readyz and /metrics; 0 takes a free one.'),
  LOG_LEVEL: z.enum(['silent', 'error', 'warn', 'info', 'debug']).default('info').describe('Least severe log line that is written.'),
  REQUEST_TIMEOUT_MS: z.coerce.number().int().positive().default(10_000).describe('Longest wait for another service to answer.'),
  OUTBOX_POLL_MS: z.coerce.number().int().positive().default(500).describe('Longest time an event waits when its wake-up was lost.'),
  CONSUMER_ACK_WAIT_MS: z.coerce
    .number()
    .int()
    .positive()
    .default(30_000)
    .describe('Time after which the server hands out again an event that nobody acknowledged, if no other replica has taken over before.'),
  JOB_LEASE_MS: z.coerce
    .number()
    .int()
    .positive()
    .default(30_000)
    .describe('Time after which work taken by a dead replica is taken again.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.string().optional().describe('Collector of traces (OTLP over HTTP); without it none are made.'),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: z.string().optional().describe('The same for traces alone, with its whole path.'),
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none']).default('otlp').describe('`none` makes no traces, whatever collector is named.'),
  OTEL_SDK_DISABLED: z.stringbool().default(false).describe('`true` makes no traces, whatever collector is named.'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1).describe('Share of the traces begun here that are sent.'),
  OTEL_BSP_SCHEDULE_DELAY: z.coerce.number().int().positive().default(5_000).describe('Milliseconds between two sendings of spans.'),
})
export type RuntimeConfig = z.infer<typeof RuntimeConfig>

/** Keys of 32 bytes in base64, separated by commas, newest first: the first seals, all of them open. The same for all replicas. */
export const SecretKeys = z
  .string()
  .transform((list) => list.split(',').map((text) => Buffer.from(text.trim(), 'base64')))
  .refine((keys) => keys.every((key) => key.length === 32), 'must be 32 bytes in base64')

const seen = new Map<z.ZodType, unknown>()

/**
 * Reads the process environment once per schema. Ends with one message that names every wrong key; values are never
 * printed, because some are secrets.
 */
export function readConfig<Schema extends z.ZodType>(schema: Schema): z.output<Schema> {
  if (!seen.has(schema)) {
    const parsed = schema.safeParse(process.env)
    if (!parsed.success) {
      const lines = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`)
      throw new Error(`The environment is not complete:\n${lines.join('\n')}`)
    }
    seen.set(schema, parsed.data)
  }
  return seen.get(schema) as z.output<Schema>
}

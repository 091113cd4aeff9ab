import { z } from 'zod'
import { findNatsUrlFault } from './nats-urls.ts'

/** URL of a database, or the path of a socket, as the driver accepts it. */
const DatabaseUrl = z
  .string()
  .refine(
    (url) => url.startsWith('/') || (/^(postgres|postgresql|socket):/.test(url) && URL.canParse(url)),
    'must be a URL such as postgres://USER:PASSWORD@HOST/DATABASE, with special characters of the password percent-encoded',
  )

const NatsUrls = z.string().superRefine((urls, context) => {
  const fault = findNatsUrlFault(urls)
  if (fault) context.addIssue({ code: 'custom', message: fault })
})

/** A port to listen on; 0 takes a free one. */
export const Port = z.coerce.number().int().min(0).max(65_535)

/** Internal addresses of another service, separated by commas. */
export const Origins = z
  .string()
  .transform((list) => list.split(',').flatMap((each) => each.trim().replace(/\/+$/, '') || []))
  .refine((origins) => origins.every((origin) => /^https?:/.test(origin) && URL.canParse(origin)), 'must be URLs such as http://HOST:8080')

/** Settings of every service; services add their own in `src/config.ts`. */
export const RuntimeConfig = z.object({
  NATS_URL: NatsUrls.default('nats://127.0.0.1:4222').describe(
    'NATS servers, comma-separated; user and password in the URL. `tls://` instead of `nats://` requires TLS with a verified certificate.',
  ),
  BUS_KEY: z
    .string()
    .optional()
    .describe(
      'Secret key of this service on the message bus: 32 bytes in base64; several, newest first, during a rotation. `quittance bus-keys` creates it.',
    ),
  BUS_PUBLIC_KEYS: z
    .string()
    .optional()
    .describe('Public keys of all services and the operator on the message bus, `name=key`, comma-separated; the same for all services.'),
  BUS_AUTHENTICATION: z
    .enum(['required', 'optional'])
    .default('required')
    .describe('`optional` accepts requests and events without a signature: for the update from release 0.1.0 only, which sends none.'),
  DATABASE_URL: DatabaseUrl.optional().describe(
    'PostgreSQL database of this service, with its runtime role, which may change rows but not the schema.',
  ),
  MIGRATION_DATABASE_URL: DatabaseUrl.optional().describe(
    'The same database with the role that owns the schema: runs migrations and grants rights to the runtime role. Unset: DATABASE_URL migrates if it may.',
  ),
  DATABASE_POOL_MAX: z.coerce
    .number()
    .int()
    .min(2)
    .default(10)
    .describe(
      'Maximum number of connections of a replica to PostgreSQL for requests and jobs; up to three more are for locks and wake-ups.',
    ),
  HEALTH_HOST: z.string().default('127.0.0.1').describe('Address of /livez, /readyz and /metrics.'),
  HEALTH_PORT: Port.default(0).describe('Port of /livez, /readyz and /metrics; 0 selects a free port.'),
  LOG_LEVEL: z.enum(['silent', 'error', 'warn', 'info', 'debug']).default('info').describe('Minimum severity of log lines.'),
  REQUEST_TIMEOUT_MS: z.coerce.number().int().positive().default(10_000).describe('Maximum time to wait for the reply of another service.'),
  OUTBOX_POLL_MS: z.coerce.number().int().positive().default(2_000).describe('Maximum delay of an event whose wake-up was lost.'),
  JOB_LEASE_MS: z.coerce
    .number()
    .int()
    .positive()
    .default(30_000)
    .describe('Time after which work claimed by a dead replica is claimed again.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.string().optional().describe('Collector of traces (OTLP over HTTP); without it no traces are recorded.'),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: z.string().optional().describe('Collector for traces only, with its full path.'),
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none']).default('otlp').describe('`none` disables traces even if a collector is set.'),
  OTEL_SDK_DISABLED: z.stringbool().default(false).describe('`true` disables traces even if a collector is set.'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1).describe('Share of the traces started here that is sampled, 0 to 1.'),
  OTEL_BSP_SCHEDULE_DELAY: z.coerce.number().int().positive().default(5_000).describe('Milliseconds between two exports of spans.'),
})
export type RuntimeConfig = z.infer<typeof RuntimeConfig>

/** Keys of 32 bytes in base64, separated by commas: the first encrypts, all of them decrypt. The same for all replicas. */
export const SecretKeys = z
  .string()
  .transform((list) => list.split(',').map((text) => Buffer.from(text.trim(), 'base64')))
  .refine((keys) => keys.every((key) => key.length === 32), 'must be 32 bytes in base64')

const seen = new Map<z.ZodType, unknown>()

/** Reads the process environment again, also for schemas that were read before: at the start of a service. */
export function rereadConfig<Schema extends z.ZodType>(schema: Schema): z.output<Schema> {
  seen.clear()
  return readConfig(schema)
}

/**
 * Returns the environment without empty settings, except those in `keepEmpty`. Settings that are not set are often passed as empty text, by
 * Compose for example: a number would be read as 0. So would spaces, which Docker keeps from a line of an env file.
 */
export function withoutEmptySettings(environment: NodeJS.ProcessEnv, keepEmpty: readonly string[] = []): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name, value]) => value?.trim() !== '' || keepEmpty.includes(name)))
}

/**
 * Reads the process environment once per schema and start of a service. An empty value is not set, except of the settings in `keepEmpty`.
 * Throws one error that names every invalid key; values are never printed, because some are secrets.
 */
export function readConfig<Schema extends z.ZodType>(schema: Schema, keepEmpty: readonly string[] = []): z.output<Schema> {
  if (!seen.has(schema)) {
    const parsed = schema.safeParse(withoutEmptySettings(process.env, keepEmpty))
    if (!parsed.success) {
      const lines = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`)
      throw new Error(`The environment is invalid:\n${lines.join('\n')}`)
    }
    seen.set(schema, parsed.data)
  }
  return seen.get(schema) as z.output<Schema>
}

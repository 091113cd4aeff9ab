import { readCidrs } from '@quittance/runtime/address-policy'
import { readConfig, SecretKeys } from '@quittance/runtime/config'
import { z } from 'zod'

export const WebhooksConfig = z.object({
  SECRETS_KEY: SecretKeys.describe(
    'Key that encrypts the signing secrets: 32 bytes in base64. During a rotation several keys, of which the first encrypts.',
  ),
  DELIVERY_TIMEOUT_MS: z.coerce
    .number()
    .int()
    .positive()
    .default(15_000)
    .describe('Timeout of one POST to an endpoint in milliseconds, response included.'),
  RETRY_SCHEDULE_S: z
    .string()
    .default('5,300,1800,7200,18000,36000,50400,72000,86400')
    .transform((list) => list.split(',').map(Number))
    .refine((waits) => waits.every((seconds) => Number.isFinite(seconds) && seconds >= 0), 'must be seconds, separated by commas')
    .describe('Seconds to wait before each retry, ±20 %; the length of the list is the number of retries.'),
  WEBHOOK_ALLOWED_CIDRS: z
    .string()
    .default('')
    .transform(readCidrs)
    .describe('Networks in which private addresses and plain http are allowed, comma-separated. For development and closed networks.'),
  WEBHOOK_DENIED_PORTS: z
    .string()
    .default('')
    .transform(readPorts)
    .describe('Ports that are blocked within those networks, comma-separated: those of PostgreSQL, NATS and the services themselves.'),
  WEBHOOK_DNS_SERVERS: z
    .string()
    .default('')
    .transform((list) =>
      list
        .split(',')
        .map((text) => text.trim())
        .filter(Boolean),
    )
    .describe('Name servers that resolve endpoint hosts, `address` or `address:port`, comma-separated; unset, those of the machine.'),
  MAX_IN_FLIGHT: z.coerce
    .number()
    .int()
    .min(4)
    .default(500)
    .describe('Maximum number of concurrent POSTs of a replica; three quarters are reserved for healthy endpoints.'),
  ENDPOINT_MAX_IN_FLIGHT: z.coerce
    .number()
    .int()
    .min(1)
    .max(500)
    .default(10)
    .describe('Maximum number of concurrent POSTs to one endpoint; half of it while its responses take more than a second on average.'),
  BREAKER_PAUSE_MS: z.coerce
    .number()
    .int()
    .positive()
    .default(30_000)
    .describe(
      'First pause of an endpoint in milliseconds after five consecutive failures; doubles with each further opening, up to thirtyfold.',
    ),
  FAILING_WARN_AFTER_S: z.coerce
    .number()
    .positive()
    .default(24 * 3_600)
    .describe('Seconds without a success after which `webhook_endpoint.failing` is published.'),
  FAILING_DISABLE_AFTER_S: z.coerce
    .number()
    .positive()
    .default(5 * 24 * 3_600)
    .describe('Seconds without a success after which an endpoint is disabled, if ten events have failed.'),
})

export const config = () => readConfig(WebhooksConfig)

function readPorts(list: string, context: z.RefinementCtx): ReadonlySet<number> {
  const ports = list.split(',').filter(Boolean).map(Number)
  if (ports.every((port) => Number.isInteger(port) && port > 0 && port <= 65_535)) return new Set(ports)
  context.addIssue({ code: 'custom', message: 'must be ports, separated by commas' })
  return z.NEVER
}

import { readConfig, SecretKeys } from '@quittance/runtime/config'
import { z } from 'zod'
import { parseCidr, type Cidr } from './deliveries/address-guard.ts'

export const WebhooksConfig = z.object({
  SECRETS_KEY: SecretKeys.describe(
    'Key under which signing secrets are kept: 32 bytes in base64; several, newest first, while it changes.',
  ),
  DELIVERY_TIMEOUT_MS: z.coerce
    .number()
    .int()
    .positive()
    .default(15_000)
    .describe('Longest time one POST to an endpoint may take, answer included.'),
  RETRY_SCHEDULE_S: z
    .string()
    .default('5,300,1800,7200,18000,36000,50400,72000,86400')
    .transform((list) => list.split(',').map(Number))
    .refine((waits) => waits.every((seconds) => Number.isFinite(seconds) && seconds >= 0), 'must be seconds, separated by commas')
    .describe('Seconds to wait before each retry, ±20 %; the length is the number of retries.'),
  WEBHOOK_ALLOWED_CIDRS: z
    .string()
    .default('')
    .transform(readCidrs)
    .describe('Networks to which private addresses and plain http are allowed, separated by commas. For development and closed networks.'),
  WEBHOOK_DNS_SERVERS: z
    .string()
    .default('')
    .transform((list) =>
      list
        .split(',')
        .map((text) => text.trim())
        .filter(Boolean),
    )
    .describe(
      'Name servers that are asked for endpoints, `address` or `address:port`, separated by commas; those of the machine unless told.',
    ),
  MAX_IN_FLIGHT: z.coerce
    .number()
    .int()
    .min(4)
    .default(500)
    .describe('Most POSTs a replica works on at once; three quarters are for endpoints that have answered well.'),
  ENDPOINT_MAX_IN_FLIGHT: z.coerce.number().int().min(1).max(500).default(10).describe('Most POSTs to one endpoint at once.'),
  BREAKER_PAUSE_MS: z.coerce
    .number()
    .int()
    .positive()
    .default(30_000)
    .describe('First pause of an endpoint after five failures in a row; doubles with each that follows, thirtyfold at most.'),
  FAILING_WARN_AFTER_S: z.coerce
    .number()
    .positive()
    .default(24 * 3_600)
    .describe('Time without a success after which `webhook_endpoint.failing` is told.'),
  FAILING_DISABLE_AFTER_S: z.coerce
    .number()
    .positive()
    .default(5 * 24 * 3_600)
    .describe('Time without a success after which an endpoint is disabled, if ten events have failed.'),
})

export const config = () => readConfig(WebhooksConfig)

function readCidrs(list: string, context: z.RefinementCtx): Cidr[] {
  const texts = list.split(',').map((text) => text.trim())
  try {
    return texts.filter(Boolean).map(parseCidr)
  } catch {
    context.addIssue({ code: 'custom', message: 'must be networks like 127.0.0.0/8, separated by commas' })
    return z.NEVER
  }
}

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
  MAX_IN_FLIGHT: z.coerce.number().int().positive().default(100).describe('Most POSTs a replica has under way at once.'),
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

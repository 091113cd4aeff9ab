import { readConfig } from '@quittance/runtime/config'
import { z } from 'zod'

export const UsageConfig = z.object({
  CUSTOMER_WAIT_MS: z.coerce
    .number()
    .int()
    .min(0)
    .max(10_000)
    .default(2_000)
    .describe('Time in milliseconds that a request with an unknown customer_id waits for the copy of customers.'),
  DEDUPLICATION_DAYS: z.coerce
    .number()
    .int()
    .min(1)
    .default(42)
    .describe('Days for which the external_id of a usage event is known; a second event with it is a duplicate until then.'),
})

export const config = () => readConfig(UsageConfig)

import { readConfig } from '@quittance/runtime/config'
import { z } from 'zod'

export const ProvisionerConfig = z.object({
  STREAM_REPLICAS: z.coerce
    .number()
    .int()
    .min(1)
    .max(5)
    .default(1)
    .describe(
      'Number of NATS servers that store every event; 3 for a cluster of three. A lower current value is raised; a higher one is not lowered.',
    ),
  CONSUMER_ACK_WAIT_MS: z.coerce
    .number()
    .int()
    .positive()
    .default(30_000)
    .describe(
      'Time after which the server redelivers an unacknowledged event, unless another replica has taken over before. Existing consumers get a changed value.',
    ),
  PROVISION_CHECK_MS: z.coerce
    .number()
    .int()
    .positive()
    .default(2_000)
    .describe('Interval between checks that the event stream and its consumers exist.'),
})

export const config = () => readConfig(ProvisionerConfig)

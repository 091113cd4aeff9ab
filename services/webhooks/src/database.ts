import type { DatabaseDefinition } from '@quittance/runtime/database'
import { EndpointSchema } from './endpoints/endpoint.ts'
import { createWebhooks } from './migrations/20261120120000-create-webhooks.ts'
import { keepIdempotentReplies } from './migrations/20261121000000-keep-idempotent-replies.ts'
import { deliverByLanes } from './migrations/20261122020000-deliver-by-lanes.ts'
import { carryTraces } from './migrations/20261122051000-carry-traces.ts'
import { lightenOutbox } from './migrations/20261122090000-lighten-outbox.ts'
import { narrowIndexes } from './migrations/20261122140000-narrow-outbox.ts'

/** Events, deliveries and attempts are written by SQL alone; see `deliveries/lane-queue.ts`. */
export const database: DatabaseDefinition = {
  entities: [EndpointSchema],
  migrations: [createWebhooks, keepIdempotentReplies, deliverByLanes, carryTraces, lightenOutbox, narrowIndexes],
}

import type { DatabaseDefinition } from '@quittance/runtime/database'
import { EndpointSchema } from './endpoints/endpoint.ts'
import { createWebhooks } from './migrations/20261120120000-create-webhooks.ts'
import { keepIdempotentReplies } from './migrations/20261121000000-keep-idempotent-replies.ts'
import { deliverByEndpointQueues } from './migrations/20261122020000-deliver-by-lanes.ts'
import { carryTraces } from './migrations/20261122051000-carry-traces.ts'
import { lightenOutbox } from './migrations/20261122090000-lighten-outbox.ts'
import { narrowIndexes } from './migrations/20261122140000-narrow-outbox.ts'
import { maintainPartitionsAsOwner } from './migrations/20261123090000-keep-house-as-owner.ts'
import { parkMessages } from './migrations/20261123100000-park-messages.ts'
import { registerEndpoints } from './migrations/20261123110000-register-endpoints.ts'
import { holdBacklogsInBatches } from './migrations/20261127060000-hold-backlogs.ts'
import { storeConsumerPositions } from './migrations/20261127230000-store-consumer-positions.ts'
import { indexRetries } from './migrations/20261129221000-index-retries.ts'
import { storeBreakerFailures } from './migrations/20261129222000-store-breaker-failures.ts'
import { recordSelections } from './migrations/20261201160000-record-selections.ts'

/** Events, deliveries and attempts are written by SQL only; see `deliveries/queue-store.ts`. */
export const database: DatabaseDefinition = {
  entities: [EndpointSchema],
  migrations: [
    createWebhooks,
    keepIdempotentReplies,
    deliverByEndpointQueues,
    carryTraces,
    lightenOutbox,
    narrowIndexes,
    maintainPartitionsAsOwner,
    parkMessages,
    registerEndpoints,
    holdBacklogsInBatches,
    storeConsumerPositions,
    indexRetries,
    storeBreakerFailures,
    recordSelections,
  ],
  rights: { functions: ['ensure_webhook_partitions', 'drop_webhook_partitions'] },
}

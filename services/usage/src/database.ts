import type { DatabaseDefinition } from '@quittance/runtime/database'
import { createUsage } from './migrations/20261123180000-create-usage.ts'
import { storeConsumerPositions } from './migrations/20261127230000-store-consumer-positions.ts'
import { countEvents } from './migrations/20261128180000-count-events.ts'
import { findOldKeys } from './migrations/20261128190000-find-old-keys.ts'
import { boundPastEvents, checkPastEvents, storePastEvents } from './migrations/20261130120000-store-past-events.ts'

/** All rows are written by SQL only. */
export const database: DatabaseDefinition = {
  entities: [],
  migrations: [createUsage, storeConsumerPositions, countEvents, findOldKeys, boundPastEvents, checkPastEvents, storePastEvents],
  rights: {
    tables: {
      // Never changed or deleted.
      usage_events: { insert: true, update: [], delete: false },
      // Events keep their owner, and owners their organization.
      owners: { insert: true, update: ['customer_id', 'external_id', 'merged_into'], delete: false },
      customers: { insert: true, update: ['external_id', 'document', 'changed_at', 'deleted_at'], delete: false },
    },
    functions: ['ensure_usage_partitions'],
  },
}

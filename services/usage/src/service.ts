import type { Service } from '@quittance/runtime/service'
import { onCustomerEvent } from './customers/customer-copy.ts'
import { startCopyProgress } from './customers/copy-progress.ts'
import { config } from './config.ts'
import { database } from './database.ts'
import { getUsageEvent, listUsageEventNames, listUsageEvents } from './events/event-queries.ts'
import { compactEventCounts } from './events/compact-event-counts.ts'
import { ingestUsageEvents } from './events/ingest-events.ts'
import { createPartitions, removeOldKeys } from './events/maintenance-jobs.ts'

/** Usage events, sent by sellers. */
export const usage: Service = {
  name: 'usage',
  readConfig: config,
  database,
  handlers: [ingestUsageEvents, listUsageEvents, listUsageEventNames, getUsageEvent],
  consumers: [onCustomerEvent],
  jobs: [createPartitions, removeOldKeys, compactEventCounts],
  components: [startCopyProgress],
}

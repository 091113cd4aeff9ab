import { migration } from '@quittance/runtime/schema'

/**
 * Adds the index by which a recovery finds the deliveries that wait for a retry, in order. Only retries are in it. Writers of the table wait
 * while it is built.
 */
export const indexRetries = migration('20261129221000-index-retries', [
  `create index if not exists webhook_deliveries_retried on webhook_deliveries (endpoint_id, position) where status = 'pending' and attempts > 0`,
])

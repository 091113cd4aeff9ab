import { migration } from '@quittance/runtime/schema'

/** Adds an index that finds failed documents without scanning the others. */
export const retryGivenUp = migration('20261122090000-retry-given-up', [
  `create index invoices_given_up on invoices (modified_at) where status = 'failed'`,
])

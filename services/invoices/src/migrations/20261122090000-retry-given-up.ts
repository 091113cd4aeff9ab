import { migration } from '@quittance/runtime/migration'

/** Documents that were given up are found without looking at the others. */
export const retryGivenUp = migration('20261122090000-retry-given-up', [
  `create index invoices_given_up on invoices (modified_at) where status = 'failed'`,
])

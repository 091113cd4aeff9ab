import { migration } from '@quittance/runtime/schema'

/**
 * Stores the consecutive failures of an endpoint with its queue. They were in the memory of the lease owner, which an idle queue loses within
 * a second, so that the circuit breaker opened only for endpoints with many events at once.
 */
export const storeBreakerFailures = migration('20261129222000-store-breaker-failures', [
  `alter table webhook_lanes add column failures integer not null default 0 check (failures >= 0),
    add column failed_events uuid[] not null default '{}'`,
])

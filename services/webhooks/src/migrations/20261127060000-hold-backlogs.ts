import { migration } from '@quittance/runtime/schema'

/**
 * Endpoints that were disabled or deleted and whose waiting deliveries are not all held or cancelled yet. A job works on them in batches,
 * so that disabling an endpoint takes the same time with a million waiting deliveries. A replica of the previous release still holds them
 * all in the transaction that disables, and adds no row here.
 */
export const holdBacklogsInBatches = migration('20261127060000-hold-backlogs', [
  `create table webhook_backlogs (
    endpoint_id uuid primary key references webhook_endpoints (id),
    requested_at timestamptz not null default clock_timestamp(),
    status text not null default 'pending' check (status in ('pending', 'held')),
    reached_at timestamptz not null default '-infinity',
    reached_position bigint not null default 0
  )`,
])

import { migration } from '@quittance/runtime/schema'

/**
 * Finds the due rows of each organization, so that organizations share the claims. Writers wait while the indexes are built. On large tables
 * create them `concurrently` before the update, under the same names (docs/operations.md).
 */
export const shareClaims = migration('20261127181500-share-claims', [
  `create index if not exists subscriptions_due_by_organization on subscriptions (organization_id, due_at) where due_at is not null`,
  `create index if not exists payments_to_check_by_organization on payments (organization_id, next_check_at) where next_check_at is not null`,
  `create index if not exists provider_events_to_read_by_organization on provider_events (organization_id, next_try_at) where handled_at is null`,
])

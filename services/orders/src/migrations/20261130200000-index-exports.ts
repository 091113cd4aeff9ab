import { migration } from '@quittance/runtime/schema'

/**
 * For the parts of an export of subscriptions: for each, all subscriptions were read and sorted. Subscriptions wait while the index is built. On
 * a large table create it `concurrently` before the update, under the same name (docs/operations.md).
 */
export const indexExports = migration('20261130200000-index-exports', [
  `create index if not exists subscriptions_by_creation on subscriptions (organization_id, created_at, id) where started_at is not null`,
])

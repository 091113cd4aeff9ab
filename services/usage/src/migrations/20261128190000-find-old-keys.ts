import { migration } from '@quittance/runtime/schema'

/**
 * Finds old keys by a B-tree: PostgreSQL read the whole table each minute in place of the BRIN index, because few keys are removed at once.
 * Requests that send events wait while it is built. On large tables create it `concurrently` before the update, under the same name
 * (docs/operations.md).
 */
export const findOldKeys = migration('20261128190000-find-old-keys', [
  `create index if not exists event_keys_by_receipt on event_keys (received_at)`,
  `drop index event_keys_by_age`,
])

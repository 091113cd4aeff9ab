import { migration } from '@quittance/runtime/schema'

/**
 * Finds the methods of each organization that are to be detached, as `share-claims` does for other jobs. Writers wait while the index is built. On
 * a large table create it `concurrently` before the update, under the same name (docs/operations.md).
 */
export const shareDetachClaims = migration('20261127233600-share-detach-claims', [
  `create index if not exists payment_methods_to_detach_by_organization on payment_methods (organization_id, detach_due_at)
    where detach_due_at is not null`,
])

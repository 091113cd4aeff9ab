import { migration } from '@quittance/runtime/schema'

/**
 * Adds the index with which rendering jobs serve organizations in turn. Writers wait while it is built. On large tables create it
 * `concurrently` before the update, under the same name (docs/operations.md). The previous release continues to use `invoices_due`.
 */
export const indexDueByOrganization = migration('20261123094000-index-due-by-organization', [
  `create index if not exists invoices_due_by_organization on invoices (organization_id, next_attempt_at) where status = 'requested'`,
])

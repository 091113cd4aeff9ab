import { migration } from '@quittance/runtime/schema'

/**
 * For the list of failed payments: a few of all. Payments wait while the index is built. On a large table create it `concurrently` before the
 * update, under the same name (docs/operations.md).
 */
export const indexFailedPayments = migration('20261201140000-index-failed-payments', [
  `create index if not exists payments_failed on payments (organization_id, created_at, id) where state in ('closing', 'failed')`,
])

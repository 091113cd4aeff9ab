import { migration } from '@quittance/runtime/schema'

/**
 * Adds indexes for statements that run while other rows are locked, or for every event of a provider, and read whole tables. Writers wait while
 * they are built. On large tables create them `concurrently` before the update, under the same names (docs/operations.md).
 */
export const indexPayments = migration('20261127061000-index-payments', [
  `create index if not exists payments_by_checkout on payments (checkout_id) where checkout_id is not null`,
  `create index if not exists payment_setups_by_checkout on payment_setups (checkout_id) where checkout_id is not null`,
  `create index if not exists payments_unsettled_by_method on payments (payment_method_id) where settled_at is null`,
  `create index if not exists refunds_at_provider on refunds (provider_refund) where provider_refund is not null`,
])

import { migration } from '@quittance/runtime/schema'

/**
 * Finds the payments and setups that an operator sees as stuck, and the trial of a subscription whose method is declined: every row was read.
 * Payments wait while the indexes are built. On large tables create them `concurrently` before the update, under the same names
 * (docs/operations.md).
 */
export const indexLookups = migration('20261128200000-index-lookups', [
  `create index if not exists payments_with_surplus on payments (surplus_at) where surplus_at is not null`,
  `create index if not exists payment_setups_unsettled on payment_setups (created_at) where quarantined_at is not null or settled_at is null`,
  `create index if not exists trial_redemptions_by_subscription on trial_redemptions (subscription_id)`,
])

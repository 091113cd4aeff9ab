import { migration } from '@quittance/runtime/schema'

/**
 * Finds the due rows of each organization for the claims that `share-claims` left out. Writers wait while the indexes are built. On large
 * tables create them `concurrently` before the update, under the same names (docs/operations.md).
 */
export const shareOtherClaims = migration('20261127194500-share-other-claims', [
  `create index if not exists refunds_to_check_by_organization on refunds (organization_id, next_check_at) where next_check_at is not null`,
  `create index if not exists payment_setups_to_check_by_organization on payment_setups (organization_id, next_check_at)
    where next_check_at is not null`,
  `create index if not exists disputes_to_check_by_organization on disputes (organization_id, next_check_at) where next_check_at is not null`,
  `create index if not exists orders_to_charge_again_by_organization on orders (organization_id, next_payment_attempt_at)
    where next_payment_attempt_at is not null`,
  `create index if not exists subscriptions_to_end_by_organization on subscriptions (organization_id, ends_at)
    where cancel_at_period_end and due_at is null and ended_at is null`,
])

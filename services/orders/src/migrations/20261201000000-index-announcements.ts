import { migration } from '@quittance/runtime/schema'

/**
 * For the search for renewals to announce: each minute it read all that were announced in the last 30 days. The index before is not needed any
 * more, by the release before neither. Subscriptions wait while the index is built. On a large table create it `concurrently` before the
 * update, under the same name (docs/operations.md).
 */
export const indexAnnouncements = migration('20261201000000-index-announcements', [
  `create index if not exists subscriptions_unannounced on subscriptions (current_period_end)
    where recurring_interval = 'year' and status = 'active' and not cancel_at_period_end
      and renewal_announced_for is distinct from current_period_end`,
  `drop index if exists subscriptions_to_announce`,
])

import { migration } from '@quittance/runtime/schema'

/**
 * End of the period whose renewal was announced. Running years whose last 30 days have begun were not announced by the release before, and are
 * announced once now.
 */
export const announceRenewals = migration('20261124203000-announce-renewals', [
  `alter table subscriptions add column renewal_announced_for timestamptz`,
  `create index subscriptions_to_announce on subscriptions (current_period_end)
    where recurring_interval = 'year' and status = 'active' and not cancel_at_period_end`,
])

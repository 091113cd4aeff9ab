import { migration } from '@quittance/runtime/migration'

/** A checkout may be for a free subscription that becomes a paid one. */
export const upgradeByCheckout = migration('20261121056000-upgrade-by-checkout', [
  `alter table checkouts add column subscription_id uuid references subscriptions (id)`,
])

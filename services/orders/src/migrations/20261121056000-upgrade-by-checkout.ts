import { migration } from '@quittance/runtime/schema'

/** A checkout can turn a free subscription into a paid one. */
export const upgradeByCheckout = migration('20261121056000-upgrade-by-checkout', [
  `alter table checkouts add column subscription_id uuid references subscriptions (id)`,
])

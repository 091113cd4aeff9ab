import { migration } from '@quittance/runtime/schema'

/** A decision of an operator is about a payment or about a setup. The release before writes those of payments only. */
export const resolveSetups = migration('20261125043000-resolve-setups', [
  `alter table payment_resolutions alter column payment_id drop not null,
    add column payment_setup_id uuid references payment_setups (id),
    add constraint payment_resolutions_about_one check (num_nonnulls(payment_id, payment_setup_id) = 1)`,
  `create index payment_resolutions_by_setup on payment_resolutions (payment_setup_id, created_at) where payment_setup_id is not null`,
])

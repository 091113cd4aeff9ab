import { migration } from '@quittance/runtime/schema'

/**
 * Whether the signed-in customer chose something for a subscription that began with a typed address. Existing ones count as not accepted: they
 * stay with the method that they name. The release before writes the default.
 */
export const acceptSubscriptions = migration('20261130020000-accept-subscriptions', [
  `alter table subscriptions add column is_accepted boolean not null default false`,
])

import { migration } from '@quittance/runtime/schema'

/** In a transaction after those that hold the lock for the change: this one lets rows be read and written. */
export const validateRelaxedChecks = migration('20261130042000-validate-relaxed-checks', [
  `alter table subscriptions validate constraint subscriptions_pending_product_is_billed`,
  `alter table orders validate constraint orders_voided_are_unpaid`,
])

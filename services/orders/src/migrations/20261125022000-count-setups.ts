import { migration } from '@quittance/runtime/schema'

/** An attempt is that of a payment or of a setup: cards are tested without a charge too. The release before writes those of payments only. */
export const countSetups = migration('20261125022000-count-setups', [
  `alter table payment_attempts drop constraint payment_attempts_payment_id_fkey`,
])

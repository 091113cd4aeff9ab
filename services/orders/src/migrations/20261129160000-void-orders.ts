import { migration } from '@quittance/runtime/schema'

/**
 * A voided order is never paid. Money that arrives for one waits while only replicas of the previous release read it: they do not return it,
 * and the constraint does not let them apply it.
 */
export const voidOrders = migration('20261129160000-void-orders', [
  `alter table orders add column voided_at timestamptz`,
  `alter table orders add constraint orders_voided_are_unpaid
    check (voided_at is null or (status = 'pending' and invoice_generated_at is not null)) not valid`,
  `alter table orders validate constraint orders_voided_are_unpaid`,
])

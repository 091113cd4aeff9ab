import { migration } from '@quittance/runtime/schema'

/** The order of a change that is undone is voided, also if no invoice states it. In a transaction that locks no other table. */
export const voidOrdersWithoutInvoice = migration('20261130041500-void-orders-without-invoice', [
  `alter table orders
    drop constraint orders_voided_are_unpaid,
    add constraint orders_voided_are_unpaid check (voided_at is null or status = 'pending') not valid`,
])

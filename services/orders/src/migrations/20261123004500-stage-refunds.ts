import { migration } from '@quittance/runtime/schema'

/**
 * A refund is recorded before the processor is called. Until the result is known, its reserved amount reduces what is left of the order.
 * The jobs of the previous release only read `due_at`, which a pending refund does not have.
 */
export const stageRefunds = migration('20261123004500-stage-refunds', [
  `alter table orders
    add column refunding_amount bigint not null default 0 check (refunding_amount >= 0),
    add column refunding_tax_amount bigint not null default 0 check (refunding_tax_amount >= 0),
    add constraint orders_refunds_within_net check (refunded_amount + refunding_amount <= net_amount),
    add constraint orders_refunds_within_tax check (refunded_tax_amount + refunding_tax_amount <= tax_amount)`,
  `alter table refunds
    add column next_check_at timestamptz,
    add constraint refunds_pending_are_due check ((status = 'pending') = (next_check_at is not null))`,
  `create index refunds_to_submit on refunds (next_check_at) where status = 'pending'`,
])

import { migration } from '@quittance/runtime/schema'

/** A bank may return a refund; the processor is queried until the refund is final. */
export const checkRefunds = migration('20261121057000-check-refunds', [
  `alter table refunds
    add column due_at timestamptz,
    add column leased_until timestamptz,
    add constraint refunds_due_are_made check (due_at is null or status = 'succeeded')`,
  `create index refunds_due on refunds (due_at) where due_at is not null`,
])

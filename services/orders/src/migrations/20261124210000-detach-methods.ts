import { migration } from '@quittance/runtime/schema'

/**
 * When a detached method is detached at its provider too; null once it is. The release before detaches none, and
 * charges none that is detached.
 */
export const detachMethods = migration('20261124210000-detach-methods', [
  `alter table payment_methods add column detach_due_at timestamptz,
    add constraint payment_methods_detached_before_call check (detach_due_at is null or status = 'detached')`,
  `create index payment_methods_to_detach on payment_methods (detach_due_at) where detach_due_at is not null`,
  `create index payment_methods_of_customer on payment_methods (customer_id, created_at) where status <> 'detached'`,
])

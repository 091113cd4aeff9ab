import { migration } from '@quittance/runtime/schema'

export const addCustomer = migration('20261120220000-add-customer', [
  // Generated, because only the snapshot contains the customer. Null in invoices issued before snapshots had it: their buyers must ask the
  // seller.
  `alter table invoices add column customer_id uuid generated always as ((source ->> 'customer_id')::uuid) stored`,
])

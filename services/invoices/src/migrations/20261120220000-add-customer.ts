import { migration } from '@quittance/runtime/migration'

export const addCustomer = migration('20261120220000-add-customer', [
  // Generated, because the snapshot is the only one who knows. Null in invoices from before it said so: their buyers ask the seller.
  `alter table invoices add column customer_id uuid generated always as ((source ->> 'customer_id')::uuid) stored`,
])

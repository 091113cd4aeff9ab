import { migration } from '@quittance/runtime/schema'

/**
 * The column has no value yet, so that the constraint holds and the index is empty. Customers wait while the index is built; on a large table add
 * the column and create the index `concurrently` before the update, under the same names (docs/operations.md).
 */
export const anonymizeCustomers = migration('20261201150000-anonymize-customers', [
  `alter table customers add column if not exists anonymize_due_at timestamptz`,
  `alter table customers add constraint customers_anonymized_was_deleted check (anonymize_due_at is null or deleted_at is not null) not valid`,
  `create index if not exists customers_to_anonymize on customers (anonymize_due_at) where anonymize_due_at is not null`,
])

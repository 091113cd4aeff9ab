import { migration } from '@quittance/runtime/schema'

/** A deleted discount stays in the orders that used it; its code is available again. */
export const deleteDiscounts = migration('20261121010000-delete-discounts', [
  `alter table discounts add column deleted_at timestamptz`,
  `drop index discounts_by_code`,
  `create unique index discounts_by_code on discounts (organization_id, lower(code)) where code is not null and deleted_at is null`,
])

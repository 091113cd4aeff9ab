import { migration } from '@quittance/runtime/schema'

/**
 * For the list and the gauge of money that no order has taken: a few of all receipts. Receipts wait while the index is built. On a large table
 * create it `concurrently` before the update, under the same name (docs/operations.md).
 */
export const indexUnappliedReceipts = migration('20261201132000-index-unapplied-receipts', [
  `create index if not exists bank_receipts_unapplied on bank_receipts (organization_id, created_at, id) where unapplied_amount > 0`,
])

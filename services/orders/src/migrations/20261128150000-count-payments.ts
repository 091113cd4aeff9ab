import { countAnotherList } from '@quittance/runtime/list-counters'
import { migration } from '@quittance/runtime/schema'

/**
 * Counts payments and license keys like the other lists, and finds checkouts by the external id of the customer. Writers of these tables wait
 * while the rows are counted and the index is built. On large tables create the index `concurrently` before the update, under the same name
 * (docs/operations.md).
 */
export const countPayments = migration('20261128150000-count-payments', [
  ...countAnotherList({ list: 'payments', time: 'created_at' }),
  ...countAnotherList({ list: 'license_keys', time: 'created_at' }),
  `create index if not exists checkouts_by_external_customer on checkouts (external_customer_id) where external_customer_id is not null`,
])

import { migration } from '@quittance/runtime/schema'

/** Lists of payments are read in the order of their creation. */
export const listPayments = migration('20261123144000-list-payments', [
  `create index payments_by_organization on payments (organization_id, created_at, id)`,
])

import { migration } from '@quittance/runtime/migration'

export const addCustomerPortal = migration('20261120220000-add-customer-portal', [
  // The shop window is found by slug, by anyone.
  `create index organizations_by_slug on organizations (slug)`,
  // The end of a customer takes their sessions with it.
  `create index customer_sessions_by_customer on customer_sessions (customer_id)`,
])

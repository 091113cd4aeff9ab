import { migration } from '@quittance/runtime/schema'

export const addCustomerPortal = migration('20261120220000-add-customer-portal', [
  // Anyone can find the storefront by slug.
  `create index organizations_by_slug on organizations (slug)`,
  // Deleting a customer also deletes their sessions.
  `create index customer_sessions_by_customer on customer_sessions (customer_id)`,
])

import type { Customer } from '@quittance/contracts/customers'
import type { View } from '@quittance/runtime/view'

/** Columns of a customer; `c` is the customer. */
export const customerColumns = `c.id, c.created_at, c.modified_at, c.metadata, c.external_id, c.email, c.email_verified, c.name,
  c.billing_address, c.tax_id, c.organization_id, c.deleted_at,
  'https://www.gravatar.com/avatar/' || encode(sha256(convert_to(lower(c.email), 'UTF8')), 'hex') || '?d=blank' as avatar_url`

/** Customers that were not deleted. Inside orders they stay visible. */
export const customerView: View<Customer> = {
  name: 'customer',
  organization: 'c.organization_id',
  customer: 'c.id',
  from: '(select * from customers where deleted_at is null) c',
  columns: customerColumns,
}

import type { CustomerPortalCustomer } from '@quittance/contracts/customer-portal'
import type { Customer } from '@quittance/contracts/customers'
import type { View } from '@quittance/runtime/view'

/** Columns of a customer; `c` is the customer. */
export const customerColumns = `c.id, c.created_at, c.modified_at, c.metadata, c.external_id, c.email, c.email_verified, c.name,
  c.billing_address, c.tax_id, c.locale, c.organization_id, c.deleted_at,
  'https://www.gravatar.com/avatar/' || encode(sha256(convert_to(lower(c.email), 'UTF8')), 'hex') || '?d=blank' as avatar_url`

/** Those that were not deleted, bound to whoever reads. */
export const presentCustomers = {
  organization: 'c.organization_id',
  customer: 'c.id',
  from: '(select * from customers where deleted_at is null) c',
  key: 'c.id',
  counted: { list: 'customers', time: 'c.created_at' },
}

/** Customers that were not deleted. Inside orders they stay visible. */
export const customerView: View<Customer> = { name: 'customer', ...presentCustomers, columns: customerColumns }

/** A customer as the event of their deletion tells them. */
export const customerAsDeletedView: View<Customer> = { ...customerView, name: 'customer-as-deleted', from: 'customers c' }

/** Columns of a customer as they see themselves; `c` is the customer. */
export const portalCustomerColumns = `c.id, c.created_at, c.modified_at, c.email, c.email_verified, c.name, c.billing_address, c.tax_id,
  c.locale, '{}'::json as oauth_accounts`

export const portalCustomerView: View<CustomerPortalCustomer> = {
  name: 'portal-customer',
  ...presentCustomers,
  columns: portalCustomerColumns,
}

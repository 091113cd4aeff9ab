import type { Customer } from '@quittance/contracts/customers'
import type { View } from '@quittance/sql/view'

/** Columns of a customer; `c` is the customer. */
export const customerColumns = `c.id, c.created_at, c.modified_at, c.metadata, c.external_id, c.email, c.email_verified, c.name, 'individual' as type, null as billing_name,
  c.billing_address, c.tax_id, c.locale, c.organization_id, c.deleted_at,
  'https://www.gravatar.com/avatar/' || encode(sha256(convert_to(lower(c.email), 'UTF8')), 'hex') || '?d=blank' as avatar_url`

/** Customers that are not deleted, scoped to the caller. */
export const activeCustomers = {
  organization: 'c.organization_id',
  customer: 'c.id',
  from: '(select * from customers where deleted_at is null) c',
  key: 'c.id',
  counter: { list: 'customers', time: 'c.created_at' },
} satisfies Partial<View<unknown>>

/** Returns the condition that a column names a customer with one of the ids that `external_customer_id` contains, in SQL. */
export const isExternalCustomer = (column: string) => `${column} = any (array(
  select w.id from customers w
  where w.organization_id = any (:organizations::uuid[]) and w.external_id = any (:external_customer_id::text[]) and w.deleted_at is null))`

/** Customers that are not deleted. Orders still show deleted ones. */
export const customerView: View<Customer> = { name: 'customer', ...activeCustomers, columns: customerColumns }

/** A customer in their deletion event. */
export const customerAsDeletedView: View<Customer> = { ...customerView, name: 'customer-as-deleted', from: 'customers c' }

import { listPaymentMethodsOfCustomer as contract, type CustomerPaymentMethod } from '@quittance/contracts/customer-payment-methods'
import { query } from '@quittance/runtime/handler'
import { newestFirst } from '@quittance/sql/list-query'
import type { View } from '@quittance/sql/view'
import { customerView } from '../customers/customer-view.ts'

const card = `json_build_object('brand', coalesce(m.brand, 'unknown'), 'last4', coalesce(m.last4, ''), 'exp_month', coalesce(m.exp_month, 1),
  'exp_year', coalesce(m.exp_year, 1970), 'wallet', m.wallet)`

/** Methods of a customer that are not detached; `m` is the method. */
export const customerPaymentMethodView: View<CustomerPaymentMethod> = {
  name: 'customer-payment-method',
  organization: 'm.organization_id',
  customer: 'm.customer_id',
  // Such a session proves no address.
  checkout: 'false',
  from: `(select * from payment_methods where status <> 'detached') m`,
  key: 'm.id',
  columns: `m.id, m.created_at, m.modified_at, m.customer_id, 'stripe' as processor, m.type, m.is_default as "default",
    m.is_default, m.status = 'blocked' as is_blocked, ${card} as card, ${card} as method_metadata`,
}

/** Lists the methods of a customer for the seller. */
export const listPaymentMethodsOfCustomer = query(contract, async ({ id, page, limit }, { read }) => {
  await read.one(customerView, { where: 'c.id = :id', values: { id } })
  return read.page(customerPaymentMethodView, { where: 'm.customer_id = :id', values: { id }, orderBy: newestFirst('m'), page, limit })
})

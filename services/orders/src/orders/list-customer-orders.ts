import { listCustomerOrders as contract } from '@quittance/contracts/customer-portal'
import { query } from '@quittance/runtime/handler'
import { asList, nullable, orderBy, whereGiven } from '@quittance/runtime/list'
import { byBillingType } from './billing-type.ts'
import { customerOrderView } from './order-view.ts'

const columns = {
  created_at: 'o.created_at',
  amount: 'o.net_amount',
  net_amount: 'o.net_amount',
  product: 'pr.name',
  subscription: nullable('o.subscription_id'),
}

export const listCustomerOrders = query(contract, (request, { read }) =>
  read.page(customerOrderView, {
    ...whereGiven({
      organization_id: { sql: 'o.organization_id = any(:organization_id)', value: asList(request.organization_id) },
      product_id: { sql: 'o.product_id = any(:product_id)', value: asList(request.product_id) },
      product_billing_type: { sql: byBillingType, value: asList(request.product_billing_type) },
      subscription_id: { sql: 'o.subscription_id = any(:subscription_id)', value: asList(request.subscription_id) },
      query: { sql: 'strpos(lower(pr.name), lower(:query)) > 0', value: request.query },
    }),
    orderBy: orderBy(columns, { sorting: request.sorting, ties: ['o.created_at', 'o.id'] }),
    page: request.page,
    limit: request.limit,
  }),
)

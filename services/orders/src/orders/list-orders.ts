import { listOrders as contract } from '@quittance/contracts/orders'
import { query } from '@quittance/runtime/handler'
import { asList, metadataFilter, nullable, orderBy, whereGiven } from '@quittance/runtime/list'
import { byBillingType } from './billing-type.ts'
import { orderView } from './order-view.ts'

const columns = {
  created_at: 'o.created_at',
  amount: 'o.net_amount',
  net_amount: 'o.net_amount',
  customer: 'lower(c.email)',
  product: 'pr.name',
  discount: nullable('d.name', 'o.discount_id is null'),
  subscription: nullable('o.subscription_id'),
}

export const listOrders = query(contract, (request, { read }) =>
  read.page(orderView, {
    ...whereGiven({
      organization_id: { sql: 'o.organization_id = any(:organization_id)', value: asList(request.organization_id) },
      product_id: { sql: 'o.product_id = any(:product_id)', value: asList(request.product_id) },
      product_billing_type: { sql: byBillingType, value: asList(request.product_billing_type) },
      discount_id: { sql: 'o.discount_id = any(:discount_id)', value: asList(request.discount_id) },
      customer_id: { sql: 'o.customer_id = any(:customer_id)', value: asList(request.customer_id) },
      checkout_id: { sql: 'o.checkout_id = any(:checkout_id)', value: asList(request.checkout_id) },
      metadata: metadataFilter('o.metadata', request.metadata),
    }),
    orderBy: orderBy(columns, { sorting: request.sorting, ties: ['o.created_at', 'o.id'] }),
    page: request.page,
    limit: request.limit,
  }),
)

import {
  getCustomerOrder as getCustomerOrderContract,
  listCustomerOrders as listCustomerOrdersContract,
  updateCustomerOrder as updateCustomerOrderContract,
  generateCustomerOrderInvoice as generateCustomerOrderInvoiceContract,
  type CustomerOrder,
} from '@quittance/contracts/customer-portal'
import { query, command } from '@quittance/runtime/handler'
import { toArray, nullable, buildSortOrder, buildWhere } from '@quittance/sql/list-query'
import { nested, type View } from '@quittance/sql/view'
import { checkoutProductColumns } from '../catalog/products/product-view.ts'
import { billingTypeCondition } from '../orders/order-queries.ts'
import { orderColumns, scopedOrders, subscriptionColumns, subscriptionOfOrder } from '../orders/order-view.ts'
import { changeBillingDetails } from '../orders/update-order.ts'
import { transferInstructions } from '../orders/requested-transfer.ts'
import { requestInvoice } from '../orders/request-invoice.ts'

const soldBy = 'products pr join organizations g on g.id = pr.organization_id where pr.id = o.product_id'

/** An order for its buyer. */
export const customerOrderView: View<CustomerOrder> = {
  name: 'customer-order',
  ...scopedOrders,
  columns: `${orderColumns}, ${nested(subscriptionColumns, subscriptionOfOrder)} as subscription,
    ${nested(`${checkoutProductColumns}, g.document as organization`, soldBy)} as product,
    ${transferInstructions} as transfer`,
}

export const getCustomerOrder = query(getCustomerOrderContract, ({ id }, { read }) =>
  read.one(customerOrderView, { where: 'o.id = :id', values: { id } }),
)

const columns = {
  created_at: 'o.created_at',
  amount: 'o.net_amount',
  net_amount: 'o.net_amount',
  product: 'pr.name',
  subscription: nullable('o.subscription_id'),
}

export const listCustomerOrders = query(listCustomerOrdersContract, (request, { read }) =>
  read.page(customerOrderView, {
    ...buildWhere({
      organization_id: { sql: 'o.organization_id = any(:organization_id)', value: toArray(request.organization_id) },
      product_id: { sql: 'o.product_id = any(:product_id)', value: toArray(request.product_id) },
      product_billing_type: { sql: billingTypeCondition, value: toArray(request.product_billing_type) },
      subscription_id: { sql: 'o.subscription_id = any(:subscription_id)', value: toArray(request.subscription_id) },
      query: { sql: 'strpos(lower(pr.name), lower(:query)) > 0', value: request.query },
    }),
    orderBy: buildSortOrder(columns, { sorting: request.sorting, tieBreakers: ['o.created_at', 'o.id'] }),
    page: request.page,
    limit: request.limit,
  }),
)

export const updateCustomerOrder = command(updateCustomerOrderContract, async (change, context) => {
  await changeBillingDetails(change, context)
  return context.read.one(customerOrderView, { where: 'o.id = :id', values: { id: change.id } })
})

export const generateCustomerOrderInvoice = command(generateCustomerOrderInvoiceContract, requestInvoice)

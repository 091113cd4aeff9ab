import { getMetricsLimits as getMetricsLimitsContract } from '@quittance/contracts/metrics'
import {
  getOrder as getOrderContract,
  listOrders as listOrdersContract,
  exportOrders as exportOrdersContract,
} from '@quittance/contracts/orders'
import { query } from '@quittance/runtime/handler'
import { isExternalCustomer } from '../customers/customer-view.ts'
import { orderView } from './order-view.ts'
import { toArray, nullable, buildSortOrder, buildWhere } from '@quittance/sql/list-query'
import { metadataFilter } from '@quittance/sql/metadata-filter'
import type { View } from '@quittance/sql/view'
import { exportChunk } from '../exports/export-chunk.ts'

export const getOrder = query(getOrderContract, ({ id }, { read }) => read.one(orderView, { where: 'o.id = :id', values: { id } }))

const columns = {
  created_at: 'o.created_at',
  amount: 'o.net_amount',
  net_amount: 'o.net_amount',
  customer: 'lower(c.email)',
  product: 'pr.name',
  discount: nullable('d.name', 'o.discount_id is null'),
  subscription: nullable('o.subscription_id'),
}

export const listOrders = query(listOrdersContract, (request, { read }) =>
  read.page(orderView, {
    ...buildWhere({
      organization_id: { sql: 'o.organization_id = any(:organization_id)', value: toArray(request.organization_id) },
      product_id: { sql: 'o.product_id = any(:product_id)', value: toArray(request.product_id) },
      product_billing_type: { sql: billingTypeCondition, value: toArray(request.product_billing_type) },
      discount_id: { sql: 'o.discount_id = any(:discount_id)', value: toArray(request.discount_id) },
      customer_id: { sql: 'o.customer_id = any(:customer_id)', value: toArray(request.customer_id) },
      external_customer_id: { sql: isExternalCustomer('o.customer_id'), value: toArray(request.external_customer_id) },
      checkout_id: { sql: 'o.checkout_id = any(:checkout_id)', value: toArray(request.checkout_id) },
      subscription_id: { sql: 'o.subscription_id = any(:subscription_id)', value: toArray(request.subscription_id) },
      metadata: metadataFilter('o.metadata', request.metadata),
    }),
    orderBy: buildSortOrder(columns, { sorting: request.sorting, tieBreakers: ['o.created_at', 'o.id'] }),
    page: request.page,
    limit: request.limit,
  }),
)

const exportedColumns = [
  'id',
  'created_at',
  'status',
  'billing_reason',
  'customer_email',
  'customer_name',
  'product',
  'currency',
  'subtotal_amount',
  'discount_amount',
  'net_amount',
  'tax_amount',
  'total_amount',
  'refunded_amount',
  'refunded_tax_amount',
  'billing_name',
  'billing_country',
]
const exportHeadings = Object.fromEntries(exportedColumns.map((name) => [name, name]))

const exportView: View<unknown> = {
  name: 'order-export',
  organization: 'o.organization_id',
  from: 'orders o',
  key: 'o.id',
  lookupJoins: 'join customers c on c.id = o.customer_id join products pr on pr.id = o.product_id',
  columns: `o.id, o.created_at, o.status, o.billing_reason, c.email as customer_email, c.name as customer_name, pr.name as product, o.currency,
    o.subtotal_amount, o.discount_amount, o.net_amount, o.tax_amount, o.total_amount, o.refunded_amount, o.refunded_tax_amount,
    o.billing_name, o.billing_address->>'country' as billing_country`,
}

export const exportOrders = query(exportOrdersContract, ({ after, organization_id, product_id, customer_id }, { read }) =>
  exportChunk(read, {
    view: exportView,
    headings: exportHeadings,
    alias: 'o',
    after,
    filters: {
      organization_id: { sql: 'o.organization_id = any(:organization_id)', value: toArray(organization_id) },
      product_id: { sql: 'o.product_id = any(:product_id)', value: toArray(product_id) },
      customer_id: { sql: 'o.customer_id = any(:customer_id)', value: toArray(customer_id) },
    },
  }),
)

/** Condition of the filter `product_billing_type`; `pr` is the product. */
export const billingTypeCondition = `(case when pr.recurring_interval is null then 'one_time' else 'recurring' end) = any(:product_billing_type)`

const upTo = (max_days: number) => ({ min_days: 1, max_days })

export const getMetricsLimits = query(getMetricsLimitsContract, () => ({
  min_date: '2023-01-01',
  intervals: { hour: upTo(7), day: upTo(366), week: upTo(365), month: upTo(1460), year: upTo(3650) },
}))

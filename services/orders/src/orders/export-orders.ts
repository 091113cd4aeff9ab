import { exportOrders as contract } from '@quittance/contracts/orders'
import { query } from '@quittance/runtime/handler'
import { asList } from '@quittance/runtime/list'
import type { View } from '@quittance/runtime/view'
import { exportPart } from '../exports/export-part.ts'

const names = [
  ...['id', 'created_at', 'status', 'billing_reason', 'customer_email', 'customer_name', 'product', 'currency'],
  ...['subtotal_amount', 'discount_amount', 'net_amount', 'tax_amount', 'total_amount', 'refunded_amount', 'refunded_tax_amount'],
  ...['billing_name', 'billing_country'],
]
const headings = Object.fromEntries(names.map((name) => [name, name]))

const view: View<unknown> = {
  name: 'order-export',
  organization: 'o.organization_id',
  from: 'orders o join customers c on c.id = o.customer_id join products pr on pr.id = o.product_id',
  columns: `o.id, o.created_at, o.status, o.billing_reason, c.email as customer_email, c.name as customer_name, pr.name as product, o.currency,
    o.subtotal_amount, o.discount_amount, o.net_amount, o.tax_amount, o.total_amount, o.refunded_amount, o.refunded_tax_amount,
    o.billing_name, o.billing_address->>'country' as billing_country`,
}

export const exportOrders = query(contract, ({ after, organization_id, product_id, customer_id }, { read }) =>
  exportPart(read, {
    view,
    headings,
    alias: 'o',
    after,
    filters: {
      organization_id: { sql: 'o.organization_id = any(:organization_id)', value: asList(organization_id) },
      product_id: { sql: 'o.product_id = any(:product_id)', value: asList(product_id) },
      customer_id: { sql: 'o.customer_id = any(:customer_id)', value: asList(customer_id) },
    },
  }),
)

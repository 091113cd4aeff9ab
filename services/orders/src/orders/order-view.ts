import type { CustomerOrder } from '@quittance/contracts/customer-portal'
import type { Order } from '@quittance/contracts/orders'
import { nested, nestedList, type View } from '@quittance/runtime/view'
import { customerColumns } from '../customers/customer-view.ts'
import { discountSummaryColumns } from '../discounts/discount-view.ts'
import { checkoutProductColumns, priceColumns, productSummaryColumns } from '../products/product-view.ts'
import { subscriptionColumns } from '../subscriptions/subscription-view.ts'

const items = nestedList(
  'i.id, i.created_at, i.modified_at, i.label, i.amount, i.discount_amount, i.tax_amount, i.proration, i.product_price_id',
  'order_items i where i.order_id = o.id order by i.position',
)

/** Price of the first line that has one, as the deprecated single price. */
const firstPrice = `left join lateral (
    select i.product_price_id as id from order_items i
    where i.order_id = o.id and i.product_price_id is not null order by i.position limit 1
  ) first_price on true`

const references = {
  c: { table: 'customers', of: 'o.customer_id' },
  pr: { table: 'products', of: 'o.product_id', isCatalogue: true },
  d: { table: 'discounts', of: 'o.discount_id', isCatalogue: true },
}

const counted = { list: 'orders', time: 'o.created_at', productFilters: ['product_id', 'product_billing_type'] }

/** What seller and buyer both see. Deprecated names live here and in the contract, nowhere else. */
const columns = `o.id, o.created_at, o.modified_at, o.status, o.status <> 'pending' as paid,
    o.subtotal_amount, o.discount_amount, o.net_amount, o.net_amount as amount, o.tax_amount, o.taxes, o.tax_behavior,
    o.total_amount,
    o.refunded_amount, o.refunded_tax_amount, o.currency, o.billing_reason, o.billing_name, o.billing_address,
    o.invoice_generated_at is not null as is_invoice_generated,
    o.customer_id, o.product_id, o.discount_id, o.subscription_id, o.checkout_id,
    o.customer_id as user_id, first_price.id as product_price_id,
    ${nested(priceColumns, 'product_prices pp join products pr on pr.id = pp.product_id where pp.id = first_price.id')} as product_price,
    ${items} as items`

const subscription = 'subscriptions s where s.id = o.subscription_id'

const bound = {
  organization: 'o.organization_id',
  customer: 'o.customer_id',
  key: 'o.id',
  from: 'orders o',
  references,
  details: firstPrice,
  counted,
}

/** An order with everything a reader of an event needs. */
export const orderView: View<Order> = {
  name: 'order',
  ...bound,
  columns: `${columns}, o.metadata, '{}'::json as custom_field_data,
    ${nested(`${subscriptionColumns}, s.metadata`, subscription)} as subscription,
    ${nested(customerColumns, 'customers c where c.id = o.customer_id')} as customer,
    ${nested(productSummaryColumns, 'products pr where pr.id = o.product_id')} as product,
    ${nested(discountSummaryColumns, 'discounts d where d.id = o.discount_id')} as discount`,
}

const soldBy = 'products pr join organizations g on g.id = pr.organization_id where pr.id = o.product_id'

/** An order as its buyer sees it. */
export const customerOrderView: View<CustomerOrder> = {
  name: 'customer-order',
  ...bound,
  columns: `${columns}, ${nested(subscriptionColumns, subscription)} as subscription,
    ${nested(`${checkoutProductColumns}, g.document as organization`, soldBy)} as product`,
}

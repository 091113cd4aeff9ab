import type { Order } from '@quittance/contracts/orders'
import { nested, nestedList, type View } from '@quittance/runtime/view'
import { customerColumns } from '../customers/customer-view.ts'
import { discountSummaryColumns } from '../discounts/discount-view.ts'
import { priceColumns, productSummaryColumns } from '../products/product-view.ts'

const items = nestedList(
  'i.id, i.created_at, i.modified_at, i.label, i.amount, i.tax_amount, i.proration, i.product_price_id',
  'order_items i where i.order_id = o.id order by i.position',
)

/** The first line that has a price, as the deprecated single price. */
const firstPrice = `left join lateral (
    select pp.* from order_items i join product_prices pp on pp.id = i.product_price_id where i.order_id = o.id order by i.position limit 1
  ) pp on true`

/** An order with everything a reader of an event needs. Deprecated names live here and in the contract, nowhere else. */
export const orderView: View<Order> = {
  name: 'order',
  organization: 'o.organization_id',
  customer: 'o.customer_id',
  from: `orders o
    join customers c on c.id = o.customer_id
    join products pr on pr.id = o.product_id
    left join discounts d on d.id = o.discount_id
    ${firstPrice}`,
  columns: `o.id, o.created_at, o.modified_at, o.status, o.status <> 'pending' as paid,
    o.subtotal_amount, o.discount_amount, o.net_amount, o.net_amount as amount, o.tax_amount, o.total_amount,
    o.refunded_amount, o.refunded_tax_amount, o.currency, o.billing_reason, o.billing_name, o.billing_address,
    o.invoice_generated_at is not null as is_invoice_generated,
    o.customer_id, o.product_id, o.discount_id, o.subscription_id, o.checkout_id, o.metadata, '{}'::json as custom_field_data,
    o.customer_id as user_id, pp.id as product_price_id,
    case when pp.id is not null then ${nested(priceColumns)} end as product_price,
    ${nested(customerColumns)} as customer,
    ${nested(productSummaryColumns)} as product,
    case when d.id is not null then ${nested(discountSummaryColumns)} end as discount,
    null as subscription,
    ${items} as items`,
}

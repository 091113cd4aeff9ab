import { withdrawalUntil } from './withdrawal-period.ts'
import type { Order } from '@quittance/contracts/orders'
import { nested, nestedList, type RowCounter, type Lookup, type View } from '@quittance/sql/view'
import { customerColumns } from '../customers/customer-view.ts'
import { discountSummaryColumns } from '../catalog/discounts/discount-view.ts'
import { priceColumns, productSummaryColumns } from '../catalog/products/product-view.ts'

/** Columns of a subscription inside an order; `s` is the subscription. Deprecated names exist only here and in the contract. */
export const subscriptionColumns = `s.id, s.created_at, s.modified_at, s.amount, s.currency, s.recurring_interval, 1 as recurring_interval_count,
  s.trial_start, s.trial_end, s.status, null as current_meter_period_start, null as current_meter_period_end,
  false as pause_at_period_end, null as paused_at, null as resumes_at,
  s.current_period_start, s.current_period_end, s.cancel_at_period_end, s.canceled_at, s.started_at, s.ends_at, s.ended_at,
  s.customer_id, s.product_id, s.discount_id, s.checkout_id, s.customer_cancellation_reason, s.customer_cancellation_comment,
  s.product_price_id as price_id, s.customer_id as user_id`

const items = nestedList(
  'i.id, i.created_at, i.modified_at, i.label, i.amount, i.discount_amount, i.tax_amount, i.proration, i.product_price_id',
  'order_items i where i.order_id = o.id order by i.position',
)

/** Price of the first line that has one, for the deprecated single price. */
const firstPrice = `left join lateral (
    select i.product_price_id as id from order_items i
    where i.order_id = o.id and i.product_price_id is not null order by i.position limit 1
  ) first_price on true`

const references = {
  c: { table: 'customers', foreignKey: 'o.customer_id' },
  pr: { table: 'products', foreignKey: 'o.product_id', isSmallTable: true },
  d: { table: 'discounts', foreignKey: 'o.discount_id', isSmallTable: true },
} satisfies Record<string, Lookup>

const counter = { list: 'orders', time: 'o.created_at', groups: { product: ['product_id', 'product_billing_type'] } } satisfies RowCounter

/** Refunds in progress are reserved. */
const refundable = `case when o.status = 'pending' then 0 else o.net_amount - o.refunded_amount - o.refunding_amount end as refundable_amount,
    case when o.status = 'pending' then 0 else o.tax_amount - o.refunded_tax_amount - o.refunding_tax_amount end as refundable_tax_amount`

/** Columns for seller and buyer. Deprecated names exist only here and in the contract. */
export const orderColumns = `o.id, o.created_at, o.modified_at, o.status, o.status <> 'pending' as paid,
    o.subtotal_amount, o.discount_amount, o.net_amount, o.net_amount as amount, o.tax_amount, o.taxes, o.tax_behavior,
    o.total_amount, 0 as applied_balance_amount, 0 as from_balance_amount, case when o.voided_at is null then o.total_amount else 0 end as due_amount,
    o.refunded_amount, o.refunded_tax_amount, ${refundable}, o.currency, o.billing_reason, o.billing_name, o.billing_address,
    o.invoice_generated_at is not null as is_invoice_generated, coalesce(o.invoice_number, '') as invoice_number, null as receipt_number,
    (select pr.name from products pr where pr.id = o.product_id) as description,
    o.customer_id, o.product_id, o.discount_id, o.subscription_id, o.checkout_id,
    ${withdrawalUntil} as withdrawal_until, o.voided_at, o.customer_id as user_id, first_price.id as product_price_id,
    ${nested(priceColumns, 'product_prices pp join products pr on pr.id = pp.product_id where pp.id = first_price.id')} as product_price,
    ${items} as items`

export const subscriptionOfOrder = 'subscriptions s where s.id = o.subscription_id'

/** Source and scope of the views of an order. */
export const scopedOrders = {
  organization: 'o.organization_id',
  customer: 'o.customer_id',
  checkout: 'o.checkout_id = :checkout',
  key: 'o.id',
  from: 'orders o',
  references,
  lookupJoins: firstPrice,
  counter,
} satisfies Partial<View<unknown>>

/** An order with all data a consumer of its events needs. */
export const orderView: View<Order> = {
  name: 'order',
  ...scopedOrders,
  columns: `${orderColumns}, 0 as platform_fee_amount, null as platform_fee_currency, o.metadata, '{}'::json as custom_field_data,
    ${nested(`${subscriptionColumns}, s.metadata`, subscriptionOfOrder)} as subscription,
    ${nested(customerColumns, 'customers c where c.id = o.customer_id')} as customer,
    ${nested(productSummaryColumns, 'products pr where pr.id = o.product_id')} as product,
    ${nested(discountSummaryColumns, 'discounts d where d.id = o.discount_id')} as discount`,
}

import type { AnnouncedSubscription } from '@quittance/contracts/subscription-announcements'
import type { Subscription } from '@quittance/contracts/subscriptions'
import { nested, nestedList, type Lookup, type View } from '@quittance/sql/view'
import { customerColumns } from '../customers/customer-view.ts'
import { discountSummaryColumns } from '../catalog/discounts/discount-view.ts'
import { subscriptionColumns } from '../orders/order-view.ts'
import { priceColumns, productView } from '../catalog/products/product-view.ts'
import { maxDiscountMonths } from '../pricing/billing-period.ts'
import { nextPaymentColumns } from './next-payment.ts'

/** The subscribed price, even if the product has another one now. */
const price = 'product_prices pp join products pr on pr.id = pp.product_id where pp.id = s.product_price_id'

const references = {
  c: { table: 'customers', foreignKey: 's.customer_id' },
  pr: { table: 'products', foreignKey: 's.product_id', isSmallTable: true },
  d: { table: 'discounts', foreignKey: 's.discount_id', isSmallTable: true },
} satisfies Record<string, Lookup>

/** Source and scope of the views of a subscription. */
export const scopedSubscriptions = {
  organization: 's.organization_id',
  customer: 's.customer_id',
  checkout: 's.id = (select x.subscription_id from orders x where x.checkout_id = :checkout)',
  key: 's.id',
  from: 'subscriptions s',
  references,
} satisfies Partial<View<unknown>>

/** Subscriptions shown in lists: one that was never paid for has not started. */
export const startedSubscriptions = {
  from: '(select * from subscriptions where started_at is not null) s',
  counter: { list: 'subscriptions', time: 's.started_at' },
} satisfies Partial<View<unknown>>

const unpaidOrders = `unpaid_changes u join orders uo on uo.id = u.order_id
      where u.subscription_id = s.id and uo.status = 'pending' and uo.voided_at is null`

/** Whether a change of product waits for the buyer: no payment of its order is in progress. */
export const isChangePayable = `exists (select from ${unpaidOrders}
      and not exists (select from payments up where up.order_id = u.order_id and up.is_open))`

export const subscriptionPriceColumns = `${subscriptionColumns}, ${nestedList(priceColumns, price)} as prices, ${nested(priceColumns, price)} as price,
    '[]'::json as meters, null as pending_update, s.pending_product_id, (select u.order_id from ${unpaidOrders} limit 1) as unpaid_change_order_id`

/** Whether the discount is in effect in the next period, by the rule of `isDiscountInEffect`. */
const isDiscountedNext = `d.id = s.discount_id and s.discount_from <= s.current_period_end
    and (d.duration = 'forever' or d.duration = 'once' and s.discount_from = s.current_period_end
      or d.duration = 'repeating' and s.current_period_end < s.discount_from + least(d.duration_in_months, ${maxDiscountMonths}) * interval '1 month')`

const discountOnPlanned = `select least(p.amount, case d.type when 'fixed' then d.amount else round(p.amount * d.basis_points / 10000.0)::bigint end)
    from discounts d where ${isDiscountedNext} and (d.currency is null or d.currency = p.currency)
      and (cardinality(d.product_ids) = 0 or s.pending_product_id = any (d.product_ids))`

/** Price of the planned product less the discount, if that applies to it; null if none is planned. */
const plannedAmount = `select p.amount - coalesce((${discountOnPlanned}), 0)
    from (select coalesce(price_amount, 0) as amount, coalesce(price_currency, s.currency) as currency from product_prices
      where product_id = s.pending_product_id and not is_archived and amount_type <> 'custom' limit 1) p`

/** Price of the next period less its discount: of the planned product, if there is one. */
export const nextAmount = `coalesce((${plannedAmount}), (select s.amount from discounts d where ${isDiscountedNext}), s.price_amount)`

/** A subscription with all data a consumer of its events needs. */
export const subscriptionView: View<Subscription> = {
  name: 'subscription',
  ...scopedSubscriptions,
  columns: `${subscriptionPriceColumns}, ${nextPaymentColumns}, s.metadata, '{}'::json as custom_field_data,
    ${nested(customerColumns, 'customers c where c.id = s.customer_id')} as customer,
    ${nested(productView.columns, 'products pr where pr.id = s.product_id')} as product,
    ${nested(discountSummaryColumns, 'discounts d where d.id = s.discount_id')} as discount`,
}

export const startedSubscriptionView: View<Subscription> = { ...subscriptionView, name: 'started-subscription', ...startedSubscriptions }

/** For events about the next period. */
export const announcedSubscriptionView: View<AnnouncedSubscription> = {
  ...subscriptionView,
  name: 'announced-subscription',
  columns: `${subscriptionView.columns}, ${nextAmount} as next_amount`,
}

/** Condition of the filter `active`, as its index has it; `s` is the subscription. */
export const activeCondition = `(s.status in ('trialing', 'active')) = :active`

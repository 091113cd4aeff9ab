import type { CustomerSubscription } from '@quittance/contracts/customer-portal'
import type { Subscription } from '@quittance/contracts/subscriptions'
import { nested, nestedList, type View } from '@quittance/runtime/view'
import { customerColumns } from '../customers/customer-view.ts'
import { discountSummaryColumns } from '../discounts/discount-view.ts'
import { checkoutProductColumns, priceColumns, productView } from '../products/product-view.ts'

/** Columns of a subscription inside an order; `s` is the subscription. Deprecated names live here and in the contract, nowhere else. */
export const subscriptionColumns = `s.id, s.created_at, s.modified_at, s.amount, s.currency, s.recurring_interval, s.status,
  s.current_period_start, s.current_period_end, s.cancel_at_period_end, s.canceled_at, s.started_at, s.ends_at, s.ended_at,
  s.customer_id, s.product_id, s.discount_id, s.checkout_id, s.customer_cancellation_reason, s.customer_cancellation_comment,
  s.product_price_id as price_id, s.customer_id as user_id`

/** The price that was subscribed to, also when the product has another one now. */
const price = 'product_prices pp join products pr on pr.id = pp.product_id where pp.id = s.product_price_id'

const references = {
  c: { table: 'customers', of: 's.customer_id' },
  pr: { table: 'products', of: 's.product_id', isCatalogue: true },
  d: { table: 'discounts', of: 's.discount_id', isCatalogue: true },
}

const bound = { organization: 's.organization_id', customer: 's.customer_id', key: 's.id', from: 'subscriptions s', references }

/** What lists show: what was never paid for has not started. */
const started = {
  from: '(select * from subscriptions where started_at is not null) s',
  counted: { list: 'subscriptions', time: 's.started_at' },
}

const columns = `${subscriptionColumns}, ${nestedList(priceColumns, price)} as prices, ${nested(priceColumns, price)} as price,
    '[]'::json as meters`

/** A subscription with everything a reader of an event needs. */
export const subscriptionView: View<Subscription> = {
  name: 'subscription',
  ...bound,
  columns: `${columns}, s.metadata, '{}'::json as custom_field_data,
    ${nested(customerColumns, 'customers c where c.id = s.customer_id')} as customer,
    ${nested(productView.columns, 'products pr where pr.id = s.product_id')} as product,
    ${nested(discountSummaryColumns, 'discounts d where d.id = s.discount_id')} as discount`,
}

export const startedSubscriptionView: View<Subscription> = { ...subscriptionView, name: 'started-subscription', ...started }

const soldBy = 'products pr join organizations g on g.id = pr.organization_id where pr.id = s.product_id'

/** A subscription as its customer sees it. */
export const customerSubscriptionView: View<CustomerSubscription> = {
  name: 'customer-subscription',
  ...bound,
  columns: `${columns}, ${nested(`${checkoutProductColumns}, g.document as organization`, soldBy)} as product`,
}

export const startedCustomerSubscriptionView: View<CustomerSubscription> = {
  ...customerSubscriptionView,
  name: 'started-customer-subscription',
  ...started,
}

import {
  getCustomerSubscription as getCustomerSubscriptionContract,
  listCustomerSubscriptions as listCustomerSubscriptionsContract,
  cancelCustomerSubscription as cancelCustomerSubscriptionContract,
  type CustomerSubscription,
} from '@quittance/contracts/customer-subscriptions'
import { query, command } from '@quittance/runtime/handler'
import { toArray, buildSortOrder, buildWhere } from '@quittance/sql/list-query'
import { nested, type View } from '@quittance/sql/view'
import { checkoutProductColumns } from '../catalog/products/product-view.ts'
import { mayUseDefault } from '../subscriptions/charge-conditions.ts'
import { changeSubscription } from '../subscriptions/lock-subscription.ts'
import { nextPaymentColumns } from '../subscriptions/next-payment.ts'
import {
  activeCondition,
  isChangePayable,
  nextAmount,
  scopedSubscriptions,
  startedSubscriptions,
  subscriptionPriceColumns,
} from '../subscriptions/subscription-view.ts'

const soldBy = 'products pr join organizations g on g.id = pr.organization_id where pr.id = s.product_id'

/** A subscription for its customer. */
export const customerSubscriptionView: View<CustomerSubscription> = {
  name: 'customer-subscription',
  ...scopedSubscriptions,
  columns: `${subscriptionPriceColumns}, ${nextPaymentColumns}, true as is_polar_managed, ${nextAmount} as next_amount, ${isChangePayable} as is_change_payable,
    s.payment_method_id is not null as has_payment_method, s.payment_method_id, ${mayUseDefault} as uses_default_payment_method,
    ${nested(`${checkoutProductColumns}, g.document as organization`, soldBy)} as product`,
}

const startedCustomerSubscriptionView: View<CustomerSubscription> = {
  ...customerSubscriptionView,
  name: 'started-customer-subscription',
  ...startedSubscriptions,
}

export const getCustomerSubscription = query(getCustomerSubscriptionContract, ({ id }, { read }) =>
  read.one(customerSubscriptionView, { where: 's.id = :id', values: { id } }),
)

const columns = {
  started_at: 's.started_at',
  amount: 's.amount',
  status: 's.status',
  organization: 's.organization_id',
  product: 'pr.name',
}

export const listCustomerSubscriptions = query(listCustomerSubscriptionsContract, (request, { read }) =>
  read.page(startedCustomerSubscriptionView, {
    ...buildWhere({
      organization_id: { sql: 's.organization_id = any(:organization_id)', value: toArray(request.organization_id) },
      product_id: { sql: 's.product_id = any(:product_id)', value: toArray(request.product_id) },
      active: { sql: activeCondition, value: request.active },
      query: { sql: 'strpos(lower(pr.name), lower(:query)) > 0', value: request.query },
    }),
    orderBy: buildSortOrder(columns, { sorting: request.sorting, tieBreakers: ['s.started_at', 's.id'] }),
    page: request.page,
    limit: request.limit,
  }),
)

export const cancelCustomerSubscription = command(cancelCustomerSubscriptionContract, async ({ id }, context) => {
  await changeSubscription(id, context, (subscription, clock) => subscription.cancel(clock, {}))
  return context.read.one(customerSubscriptionView, { where: 's.id = :id', values: { id } })
})

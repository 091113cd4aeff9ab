import { isWholeCustomer } from '@quittance/contracts/caller'
import {
  getCustomerSubscription as getCustomerSubscriptionContract,
  listCustomerSubscriptions as listCustomerSubscriptionsContract,
  cancelCustomerSubscription as cancelCustomerSubscriptionContract,
  type CustomerSubscription,
  previewCustomerSubscriptionChange as previewCustomerSubscriptionChangeContract,
  UpdateSubscriptionNotAllowed,
  updateCustomerSubscription as updateCustomerSubscriptionContract,
} from '@quittance/contracts/customer-portal'
import { query, command, staged, type Transaction } from '@quittance/runtime/handler'
import {
  activeCondition,
  nextAmount,
  scopedSubscriptions,
  startedSubscriptions,
  subscriptionPriceColumns,
} from '../subscriptions/subscription-view.ts'
import { toArray, buildSortOrder, buildWhere } from '@quittance/sql/list-query'
import { nested, type View } from '@quittance/sql/view'
import { checkoutProductColumns } from '../catalog/products/product-view.ts'
import { changeSubscription } from '../subscriptions/lock-subscription.ts'
import type { SubscriptionSettings } from '@quittance/contracts/organizations'
import type { RequestOf } from '@quittance/contracts/operation'
import type { OrganizationClock } from '../organizations/organization.ts'
import { withdrawCancellation } from '../subscriptions/owed-orders.ts'
import { askForChange, previewChange } from '../subscriptions/preview-change.ts'
import { applyProductChange } from '../subscriptions/previewed-change.ts'
import type { Subscription } from '../subscriptions/subscription.ts'

const soldBy = 'products pr join organizations g on g.id = pr.organization_id where pr.id = s.product_id'

/** A subscription for its customer. */
const customerSubscriptionView: View<CustomerSubscription> = {
  name: 'customer-subscription',
  ...scopedSubscriptions,
  columns: `${subscriptionPriceColumns}, true as is_polar_managed, ${nextAmount} as next_amount, s.payment_method_id is not null as has_payment_method, ${nested(`${checkoutProductColumns}, g.document as organization`, soldBy)} as product`,
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

export const previewCustomerSubscriptionChange = staged(previewCustomerSubscriptionChangeContract, {
  commit: (request, context) => askForChange(request, context, assertMayUpdate),
  finish: previewChange,
})

function assertMayUpdate({ allow_customer_updates }: SubscriptionSettings): void {
  if (!allow_customer_updates) throw new UpdateSubscriptionNotAllowed('Updating subscription is not allowed.')
}

type Request = RequestOf<typeof updateCustomerSubscriptionContract>

export const updateCustomerSubscription = command(updateCustomerSubscriptionContract, async (request, context) => {
  const { id } = request
  await changeSubscription(id, context, (subscription, clock) =>
    apply(request, subscription, { context, clock, isChosenByCustomer: isWholeCustomer(context.caller) }),
  )
  return context.read.one(customerSubscriptionView, { where: 's.id = :id', values: { id } })
})

async function apply(
  request: Request,
  subscription: Subscription,
  { context, clock, isChosenByCustomer }: { context: Transaction; clock: OrganizationClock; isChosenByCustomer: boolean },
): Promise<void> {
  if (request.product_id !== undefined) {
    const { product_id, proration_behavior, previewed_at } = request
    return applyProductChange(
      subscription,
      { product_id, proration_behavior, previewed_at },
      { context, clock, isChosenByCustomer, assertAllowed: assertMayUpdate },
    )
  }
  if ('pending_update' in request && request.pending_update === null) return subscription.dropPlannedProduct()
  const cancellation = { reason: request.cancellation_reason, comment: request.cancellation_comment }
  if (request.cancel_at_period_end === true) subscription.cancel(clock, cancellation)
  else if (request.cancel_at_period_end === false) await withdrawCancellation(subscription, { context, clock })
  else subscription.recordCancellation(cancellation)
}

import {
  getSubscription as getSubscriptionContract,
  listSubscriptions as listSubscriptionsContract,
  exportSubscriptions as exportSubscriptionsContract,
} from '@quittance/contracts/subscriptions'
import { query } from '@quittance/runtime/handler'
import { isExternalCustomer } from '../customers/customer-view.ts'
import { subscriptionView, activeCondition, startedSubscriptionView } from './subscription-view.ts'
import { toArray, nullable, buildSortOrder, buildWhere } from '@quittance/sql/list-query'
import { metadataFilter } from '@quittance/sql/metadata-filter'
import type { View } from '@quittance/sql/view'
import { exportChunk } from '../exports/export-chunk.ts'

export const getSubscription = query(getSubscriptionContract, ({ id }, { read }) =>
  read.one(subscriptionView, { where: 's.id = :id', values: { id } }),
)

const columns = {
  customer: 'lower(c.email)',
  status: 's.status',
  started_at: 's.started_at',
  current_period_end: 's.current_period_end',
  amount: 's.amount',
  product: 'pr.name',
  discount: nullable('d.name', 's.discount_id is null'),
}

export const listSubscriptions = query(listSubscriptionsContract, (request, { read }) =>
  read.page(startedSubscriptionView, {
    ...buildWhere({
      organization_id: { sql: 's.organization_id = any(:organization_id)', value: toArray(request.organization_id) },
      product_id: { sql: 's.product_id = any(:product_id)', value: toArray(request.product_id) },
      customer_id: { sql: 's.customer_id = any(:customer_id)', value: toArray(request.customer_id) },
      external_customer_id: { sql: isExternalCustomer('s.customer_id'), value: toArray(request.external_customer_id) },
      discount_id: { sql: 's.discount_id = any(:discount_id)', value: toArray(request.discount_id) },
      active: { sql: activeCondition, value: request.active },
      status: { sql: 's.status = any(:status)', value: toArray(request.status) },
      cancel_at_period_end: { sql: 's.cancel_at_period_end = :cancel_at_period_end', value: request.cancel_at_period_end },
      reason: { sql: 's.customer_cancellation_reason = any(:reason)', value: toArray(request.customer_cancellation_reason) },
      canceled_at_after: { sql: 's.canceled_at >= :canceled_at_after', value: request.canceled_at_after },
      canceled_at_before: { sql: 's.canceled_at <= :canceled_at_before', value: request.canceled_at_before },
      metadata: metadataFilter('s.metadata', request.metadata),
    }),
    orderBy: buildSortOrder(columns, { sorting: request.sorting, tieBreakers: ['s.started_at', 's.id'] }),
    page: request.page,
    limit: request.limit,
  }),
)

const headings = {
  email: 'Email',
  created_at: 'Created At',
  active: 'Active',
  product: 'Product',
  price: 'Price',
  currency: 'Currency',
  interval: 'Interval',
}

const view: View<unknown> = {
  name: 'subscription-export',
  organization: 's.organization_id',
  from: '(select * from subscriptions where started_at is not null) s',
  key: 's.id',
  lookupJoins: 'join customers c on c.id = s.customer_id join products pr on pr.id = s.product_id',
  columns: `s.id, s.created_at, c.email, s.status in ('trialing', 'active') as active, pr.name as product, s.amount as price, s.currency,
    s.recurring_interval as interval`,
}

export const exportSubscriptions = query(exportSubscriptionsContract, ({ after, organization_id }, { read }) =>
  exportChunk(read, {
    view,
    headings,
    alias: 's',
    after,
    filters: { organization_id: { sql: 's.organization_id = any(:organization_id)', value: toArray(organization_id) } },
  }),
)

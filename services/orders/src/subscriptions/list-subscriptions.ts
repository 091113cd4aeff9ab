import { listSubscriptions as contract } from '@quittance/contracts/subscriptions'
import { query } from '@quittance/runtime/handler'
import { asList, metadataFilter, nullable, orderBy, whereGiven } from '@quittance/runtime/list'
import { isActive } from './subscription-filters.ts'
import { startedSubscriptionView } from './subscription-view.ts'

const columns = {
  customer: 'lower(c.email)',
  status: 's.status',
  started_at: 's.started_at',
  current_period_end: 's.current_period_end',
  amount: 's.amount',
  product: 'pr.name',
  discount: nullable('d.name', 's.discount_id is null'),
}

export const listSubscriptions = query(contract, (request, { read }) =>
  read.page(startedSubscriptionView, {
    ...whereGiven({
      organization_id: { sql: 's.organization_id = any(:organization_id)', value: asList(request.organization_id) },
      product_id: { sql: 's.product_id = any(:product_id)', value: asList(request.product_id) },
      customer_id: { sql: 's.customer_id = any(:customer_id)', value: asList(request.customer_id) },
      discount_id: { sql: 's.discount_id = any(:discount_id)', value: asList(request.discount_id) },
      active: { sql: isActive, value: request.active },
      metadata: metadataFilter('s.metadata', request.metadata),
    }),
    orderBy: orderBy(columns, { sorting: request.sorting, ties: ['s.started_at', 's.id'] }),
    page: request.page,
    limit: request.limit,
  }),
)

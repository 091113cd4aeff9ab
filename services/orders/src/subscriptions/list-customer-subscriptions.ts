import { listCustomerSubscriptions as contract } from '@quittance/contracts/customer-portal'
import { query } from '@quittance/runtime/handler'
import { asList, orderBy, whereGiven } from '@quittance/runtime/list'
import { isActive } from './subscription-filters.ts'
import { startedCustomerSubscriptionView } from './subscription-view.ts'

const columns = {
  started_at: 's.started_at',
  amount: 's.amount',
  status: 's.status',
  organization: 's.organization_id',
  product: 'pr.name',
}

export const listCustomerSubscriptions = query(contract, (request, { read }) =>
  read.page(startedCustomerSubscriptionView, {
    ...whereGiven({
      organization_id: { sql: 's.organization_id = any(:organization_id)', value: asList(request.organization_id) },
      product_id: { sql: 's.product_id = any(:product_id)', value: asList(request.product_id) },
      active: { sql: isActive, value: request.active },
      query: { sql: 'strpos(lower(pr.name), lower(:query)) > 0', value: request.query },
    }),
    orderBy: orderBy(columns, { sorting: request.sorting, ties: ['s.started_at', 's.id'] }),
    page: request.page,
    limit: request.limit,
  }),
)

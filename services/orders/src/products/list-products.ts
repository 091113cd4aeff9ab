import { listProducts as contract } from '@quittance/contracts/products'
import { query } from '@quittance/runtime/handler'
import { asList, orderBy, whereGiven } from '@quittance/runtime/list'
import { productView } from './product-view.ts'

const columns = { created_at: 'pr.created_at', name: 'pr.name' }

export const listProducts = query(contract, (request, { read }) =>
  read.page(productView, {
    ...whereGiven({
      id: { sql: 'pr.id = any(:id)', value: asList(request.id) },
      organization_id: { sql: 'pr.organization_id = any(:organization_id)', value: asList(request.organization_id) },
      query: { sql: `strpos(lower(pr.name), lower(:query)) > 0`, value: request.query },
      is_archived: { sql: 'pr.is_archived = :is_archived', value: request.is_archived },
      is_recurring: { sql: '(pr.recurring_interval is not null) = :is_recurring', value: request.is_recurring },
    }),
    orderBy: orderBy(columns, { sorting: request.sorting, tieBreaker: 'pr.id' }),
    page: request.page,
    limit: request.limit,
  }),
)

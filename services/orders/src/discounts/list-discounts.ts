import { listDiscounts as contract } from '@quittance/contracts/discounts'
import { query } from '@quittance/runtime/handler'
import { asList, nullable, orderBy, whereGiven } from '@quittance/runtime/list'
import { discountView } from './discount-view.ts'

const columns = { created_at: 'd.created_at', name: 'd.name', code: nullable('d.code'), redemptions_count: 'd.redemptions_count' }

export const listDiscounts = query(contract, (request, { read }) =>
  read.page(discountView, {
    ...whereGiven({
      organization_id: { sql: 'd.organization_id = any(:organization_id)', value: asList(request.organization_id) },
      query: { sql: 'strpos(d.name, :query) > 0 or strpos(lower(d.code), lower(:query)) > 0', value: request.query },
    }),
    orderBy: orderBy(columns, { sorting: request.sorting, ties: ['d.created_at', 'd.id'] }),
    page: request.page,
    limit: request.limit,
  }),
)

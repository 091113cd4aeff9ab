import { getDiscount as getDiscountContract, listDiscounts as listDiscountsContract } from '@quittance/contracts/discounts'
import { query } from '@quittance/runtime/handler'
import { discountView } from './discount-view.ts'
import { toArray, nullable, buildSortOrder, buildWhere } from '@quittance/sql/list-query'

export const getDiscount = query(getDiscountContract, ({ id }, { read }) => read.one(discountView, { where: 'd.id = :id', values: { id } }))

const columns = { created_at: 'd.created_at', name: 'd.name', code: nullable('d.code'), redemptions_count: 'd.redemptions_count' }

export const listDiscounts = query(listDiscountsContract, (request, { read }) =>
  read.page(discountView, {
    ...buildWhere({
      organization_id: { sql: 'd.organization_id = any(:organization_id)', value: toArray(request.organization_id) },
      query: { sql: 'strpos(d.name, :query) > 0 or strpos(lower(d.code), lower(:query)) > 0', value: request.query },
    }),
    orderBy: buildSortOrder(columns, { sorting: request.sorting, tieBreakers: ['d.created_at', 'd.id'] }),
    page: request.page,
    limit: request.limit,
  }),
)

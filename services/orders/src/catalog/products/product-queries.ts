import { getProduct as getProductContract, listProducts as listProductsContract } from '@quittance/contracts/products'
import { query } from '@quittance/runtime/handler'
import { productView } from './product-view.ts'
import { toArray, nullable, buildSortOrder, buildWhere } from '@quittance/sql/list-query'
import { metadataFilter } from '@quittance/sql/metadata-filter'

export const getProduct = query(getProductContract, ({ id }, { read }) => read.one(productView, { where: 'pr.id = :id', values: { id } }))

/** No price, or one without this column. */
const lacks = (column: string) => `not exists (select from product_prices current
  where current.product_id = pr.id and not current.is_archived and current.${column} is not null)`

const columns = {
  created_at: 'pr.created_at',
  name: 'pr.name',
  price_amount_type: nullable('pp.amount_type', lacks('amount_type')),
  price_amount: nullable('pp.price_amount', lacks('price_amount')),
}

const hasBenefit = `exists (select from product_benefits pb join benefits b on b.id = pb.benefit_id
  where pb.product_id = pr.id and b.id = any(:benefit_id) and b.deleted_at is null)`

export const listProducts = query(listProductsContract, (request, { read }) =>
  read.page(productView, {
    ...buildWhere({
      id: { sql: 'pr.id = any(:id)', value: toArray(request.id) },
      organization_id: { sql: 'pr.organization_id = any(:organization_id)', value: toArray(request.organization_id) },
      query: { sql: `strpos(lower(pr.name), lower(:query)) > 0`, value: request.query },
      is_archived: { sql: 'pr.is_archived = :is_archived', value: request.is_archived },
      is_recurring: { sql: '(pr.recurring_interval is not null) = :is_recurring', value: request.is_recurring },
      benefit_id: { sql: hasBenefit, value: toArray(request.benefit_id) },
      visibility: { sql: `'public' = any(:visibility)`, value: toArray(request.visibility) },
      metadata: metadataFilter('pr.metadata', request.metadata),
    }),
    orderBy: buildSortOrder(columns, { sorting: request.sorting, tieBreakers: ['pr.created_at', 'pr.id'] }),
    page: request.page,
    limit: request.limit,
  }),
)

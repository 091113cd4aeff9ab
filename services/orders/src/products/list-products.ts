import { listProducts as contract } from '@quittance/contracts/products'
import { query } from '@quittance/runtime/handler'
import { asList, metadataFilter, nullable, orderBy, whereGiven } from '@quittance/runtime/list'
import { productView } from './product-view.ts'

/** Without a price, or with one that has no such column. */
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

export const listProducts = query(contract, (request, { read }) =>
  read.page(productView, {
    ...whereGiven({
      id: { sql: 'pr.id = any(:id)', value: asList(request.id) },
      organization_id: { sql: 'pr.organization_id = any(:organization_id)', value: asList(request.organization_id) },
      query: { sql: `strpos(lower(pr.name), lower(:query)) > 0`, value: request.query },
      is_archived: { sql: 'pr.is_archived = :is_archived', value: request.is_archived },
      is_recurring: { sql: '(pr.recurring_interval is not null) = :is_recurring', value: request.is_recurring },
      benefit_id: { sql: hasBenefit, value: asList(request.benefit_id) },
      metadata: metadataFilter('pr.metadata', request.metadata),
    }),
    orderBy: orderBy(columns, { sorting: request.sorting, ties: ['pr.created_at', 'pr.id'] }),
    page: request.page,
    limit: request.limit,
  }),
)

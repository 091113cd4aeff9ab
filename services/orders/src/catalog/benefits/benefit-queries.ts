import { getBenefit as getBenefitContract, listBenefits as listBenefitsContract } from '@quittance/contracts/benefits'
import { query } from '@quittance/runtime/handler'
import { benefitView } from './benefit-view.ts'
import { toArray, buildSortOrder, buildWhere } from '@quittance/sql/list-query'
import { metadataFilter } from '@quittance/sql/metadata-filter'

export const getBenefit = query(getBenefitContract, ({ id }, { read }) => read.one(benefitView, { where: 'b.id = :id', values: { id } }))

const columns = { created_at: 'b.created_at', description: 'b.description' }

export const listBenefits = query(listBenefitsContract, (request, { read }) =>
  read.page(benefitView, {
    ...buildWhere({
      id: { sql: 'b.id = any(:id)', value: toArray(request.id) },
      exclude_id: { sql: 'b.id <> all(:exclude_id)', value: toArray(request.exclude_id) },
      organization_id: { sql: 'b.organization_id = any(:organization_id)', value: toArray(request.organization_id) },
      type: { sql: 'b.type = any(:type)', value: toArray(request.type) },
      query: { sql: 'strpos(lower(b.description), lower(:query)) > 0', value: request.query },
      metadata: metadataFilter('b.metadata', request.metadata),
    }),
    orderBy: buildSortOrder(columns, { sorting: request.sorting, tieBreakers: ['b.created_at', 'b.id'] }),
    page: request.page,
    limit: request.limit,
  }),
)

import { listBenefits as contract } from '@quittance/contracts/benefits'
import { query } from '@quittance/runtime/handler'
import { asList, metadataFilter, orderBy, whereGiven } from '@quittance/runtime/list'
import { benefitView } from './benefit-view.ts'

const columns = { created_at: 'b.created_at', description: 'b.description' }

export const listBenefits = query(contract, (request, { read }) =>
  read.page(benefitView, {
    ...whereGiven({
      organization_id: { sql: 'b.organization_id = any(:organization_id)', value: asList(request.organization_id) },
      type: { sql: 'b.type = any(:type)', value: asList(request.type) },
      query: { sql: 'strpos(lower(b.description), lower(:query)) > 0', value: request.query },
      metadata: metadataFilter('b.metadata', request.metadata),
    }),
    orderBy: orderBy(columns, { sorting: request.sorting, ties: ['b.created_at', 'b.id'] }),
    page: request.page,
    limit: request.limit,
  }),
)

import { listCustomers as contract } from '@quittance/contracts/customers'
import { query } from '@quittance/runtime/handler'
import { asList, metadataFilter, nullable, orderBy, whereGiven } from '@quittance/runtime/list'
import { customerView } from './customer-view.ts'

const columns = { created_at: 'c.created_at', email: 'lower(c.email)', name: nullable('c.name') }

export const listCustomers = query(contract, (request, { read }) =>
  read.page(customerView, {
    ...whereGiven({
      organization_id: { sql: 'c.organization_id = any(:organization_id)', value: asList(request.organization_id) },
      email: { sql: 'lower(c.email) = lower(:email)', value: request.email },
      query: { sql: 'strpos(lower(c.email), lower(:query)) > 0 or strpos(lower(c.name), lower(:query)) > 0', value: request.query },
      metadata: metadataFilter('c.metadata', request.metadata),
    }),
    orderBy: orderBy(columns, { sorting: request.sorting, ties: ['c.created_at', 'c.id'] }),
    page: request.page,
    limit: request.limit,
  }),
)

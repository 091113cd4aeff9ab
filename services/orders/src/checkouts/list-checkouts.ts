import { listCheckouts as contract } from '@quittance/contracts/checkouts'
import { query } from '@quittance/runtime/handler'
import { asList, orderBy, whereGiven } from '@quittance/runtime/list'
import { checkoutView } from './checkout-view.ts'

const columns = { created_at: 'ch.created_at', expires_at: 'ch.expires_at', status: 'ch.status' }

export const listCheckouts = query(contract, (request, { read }) =>
  read.page(checkoutView, {
    ...whereGiven({
      organization_id: { sql: 'ch.organization_id = any(:organization_id)', value: asList(request.organization_id) },
      product_id: { sql: 'ch.product_id = any(:product_id)', value: asList(request.product_id) },
      customer_id: { sql: 'ch.customer_id = any(:customer_id)', value: asList(request.customer_id) },
      status: { sql: 'ch.status = any(:status)', value: asList(request.status) },
      query: { sql: 'strpos(lower(ch.customer_email), lower(:query)) > 0', value: request.query },
    }),
    orderBy: orderBy(columns, { sorting: request.sorting, ties: ['ch.created_at', 'ch.id'] }),
    page: request.page,
    limit: request.limit,
  }),
)

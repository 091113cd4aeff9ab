import { listRefunds as contract } from '@quittance/contracts/refunds'
import { query } from '@quittance/runtime/handler'
import { toArray, buildSortOrder, buildWhere } from '@quittance/sql/list-query'
import { isExternalCustomer } from '../customers/customer-view.ts'
import { refundView } from './refund.ts'

const columns = { created_at: 'r.created_at', amount: 'r.amount' }

export const listRefunds = query(contract, ({ page, limit, sorting, ...filters }, { read }) =>
  read.page(refundView, {
    ...buildWhere({
      ids: { sql: 'r.id = any(:ids)', value: toArray(filters.id) },
      organization_id: { sql: 'r.organization_id = any(:organization_id)', value: toArray(filters.organization_id) },
      order_ids: { sql: 'r.order_id = any(:order_ids)', value: toArray(filters.order_id) },
      subscription_ids: { sql: 'o.subscription_id = any(:subscription_ids)', value: toArray(filters.subscription_id) },
      customer_ids: { sql: 'o.customer_id = any(:customer_ids)', value: toArray(filters.customer_id) },
      external_customer_id: { sql: isExternalCustomer('o.customer_id'), value: toArray(filters.external_customer_id) },
      succeeded: { sql: `r.status = 'succeeded'`, value: filters.succeeded || undefined },
    }),
    orderBy: buildSortOrder(columns, { sorting, tieBreakers: ['r.created_at', 'r.id'] }),
    page,
    limit,
  }),
)

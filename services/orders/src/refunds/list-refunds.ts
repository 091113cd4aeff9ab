import { listRefunds as contract } from '@quittance/contracts/refunds'
import { query } from '@quittance/runtime/handler'
import { asList, orderBy, whereGiven } from '@quittance/runtime/list'
import { refundView } from './refund-view.ts'

const columns = { created_at: 'r.created_at', amount: 'r.amount' }

export const listRefunds = query(contract, ({ page, limit, sorting, ...filters }, { read }) =>
  read.page(refundView, {
    ...whereGiven({
      ids: { sql: 'r.id = any(:ids)', value: asList(filters.id) },
      organization_ids: { sql: 'r.organization_id = any(:organization_ids)', value: asList(filters.organization_id) },
      order_ids: { sql: 'r.order_id = any(:order_ids)', value: asList(filters.order_id) },
      subscription_ids: { sql: 'o.subscription_id = any(:subscription_ids)', value: asList(filters.subscription_id) },
      customer_ids: { sql: 'o.customer_id = any(:customer_ids)', value: asList(filters.customer_id) },
      succeeded: { sql: `r.status = 'succeeded'`, value: filters.succeeded || undefined },
    }),
    orderBy: orderBy(columns, { sorting, ties: ['r.created_at', 'r.id'] }),
    page,
    limit,
  }),
)

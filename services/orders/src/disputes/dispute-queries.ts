import { getDispute as getContract, listDisputes as listContract, type Dispute } from '@quittance/contracts/disputes'
import { query } from '@quittance/runtime/handler'
import { buildSortOrder, buildWhere, toArray } from '@quittance/sql/list-query'
import { nested, type View } from '@quittance/sql/view'
import { customerColumns } from '../customers/customer-view.ts'

const isClosed = `d.status in ('won', 'lost', 'prevented', 'closed')`

/** Disputes with their order and customer; `d` is the dispute. */
export const disputeView: View<Dispute> = {
  name: 'dispute',
  organization: 'd.organization_id',
  from: 'disputes d join payments pa on pa.id = d.payment_id join orders o on o.id = pa.order_id',
  columns: `d.id, d.created_at, d.modified_at, d.organization_id, d.payment_id, pa.order_id, pa.provider, d.status,
    d.status in ('won', 'lost') as resolved, ${isClosed} as closed, d.amount,
    coalesce(round(d.amount * o.tax_amount::numeric / nullif(o.total_amount, 0)), 0)::bigint as tax_amount, d.currency, d.reason,
    d.evidence_due_by, coalesce(d.evidence_due_by < now(), false) and not ${isClosed} as past_due, null as case_id, d.funds,
    ${nested(customerColumns, 'customers c where c.id = o.customer_id')} as customer`,
}

export const getDispute = query(getContract, ({ id }, { read }) => read.one(disputeView, { where: 'd.id = :id', values: { id } }))

const columns = { created_at: 'd.created_at', amount: 'd.amount', evidence_due_by: 'd.evidence_due_by' }

export const listDisputes = query(listContract, ({ page, limit, sorting, ...filters }, { read }) =>
  read.page(disputeView, {
    ...buildWhere({
      organization_ids: { sql: 'd.organization_id = any(:organization_ids)', value: toArray(filters.organization_id) },
      order_ids: { sql: 'pa.order_id = any(:order_ids)', value: toArray(filters.order_id) },
      payment_ids: { sql: 'd.payment_id = any(:payment_ids)', value: toArray(filters.payment_id) },
      statuses: { sql: 'd.status = any(:statuses)', value: toArray(filters.status) },
    }),
    orderBy: buildSortOrder(columns, { sorting, tieBreakers: ['d.created_at', 'd.id'] }),
    page,
    limit,
  }),
)

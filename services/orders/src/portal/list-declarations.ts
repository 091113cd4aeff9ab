import { listDeclarations as contract, type Declaration } from '@quittance/contracts/declarations'
import { query } from '@quittance/runtime/handler'
import { buildSortOrder, buildWhere, toArray } from '@quittance/sql/list-query'
import type { View } from '@quittance/sql/view'

const isSettled = `case when d.kind = 'withdrawal' then coalesce(o.status = 'refunded', false) else d.effect <> 'none' end`

const daysLeft = `case when d.refund_due_at is not null and not (${isSettled})
    then greatest(0, ceil(extract(epoch from d.refund_due_at - now()) / 86400))::int end`

const declarationView: View<Declaration> = {
  name: 'declaration',
  organization: 'd.organization_id',
  key: 'd.id',
  from: 'declarations d left join orders o on o.id = d.order_id',
  columns: `d.id, d.created_at, d.organization_id, d.kind, d.name, d.email, d.reference, d.ground, d.is_verified, d.customer_id, d.order_id,
    d.subscription_id, d.effect, d.refund_due_at, ${daysLeft} as days_left, ${isSettled} as is_settled`,
}

const columns = { created_at: 'd.created_at' }

export const listDeclarations = query(contract, ({ page, limit, sorting, ...filters }, { read }) =>
  read.page(declarationView, {
    ...buildWhere({
      organization_id: { sql: 'd.organization_id = any(:organization_id)', value: toArray(filters.organization_id) },
      kind: { sql: 'd.kind = any(:kind)', value: toArray(filters.kind) },
      order_id: { sql: 'd.order_id = any(:order_id)', value: toArray(filters.order_id) },
      customer_id: { sql: 'd.customer_id = any(:customer_id)', value: toArray(filters.customer_id) },
      is_settled: { sql: `(${isSettled}) = :is_settled`, value: filters.is_settled },
    }),
    orderBy: buildSortOrder(columns, { sorting, tieBreakers: ['d.created_at', 'd.id'] }),
    page,
    limit,
  }),
)

import { exportSubscriptions as contract } from '@quittance/contracts/subscriptions'
import { query } from '@quittance/runtime/handler'
import { asList } from '@quittance/runtime/list'
import type { View } from '@quittance/runtime/view'
import { exportPart } from '../exports/export-part.ts'

const headings = {
  email: 'Email',
  created_at: 'Created At',
  active: 'Active',
  product: 'Product',
  price: 'Price',
  currency: 'Currency',
  interval: 'Interval',
}

const view: View<unknown> = {
  name: 'subscription-export',
  organization: 's.organization_id',
  from: `(select * from subscriptions where started_at is not null) s
    join customers c on c.id = s.customer_id join products pr on pr.id = s.product_id`,
  columns: `s.id, s.created_at, c.email, s.status in ('trialing', 'active') as active, pr.name as product, s.amount as price, s.currency,
    s.recurring_interval as interval`,
}

export const exportSubscriptions = query(contract, ({ after, organization_id }, { read }) =>
  exportPart(read, {
    view,
    headings,
    alias: 's',
    after,
    filters: { organization_id: { sql: 's.organization_id = any(:organization_id)', value: asList(organization_id) } },
  }),
)

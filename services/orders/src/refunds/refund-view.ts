import type { Refund } from '@quittance/contracts/refunds'
import type { View } from '@quittance/runtime/view'

export const refundView: View<Refund> = {
  name: 'refund',
  organization: 'r.organization_id',
  from: 'refunds r',
  references: { o: { table: 'orders', of: 'r.order_id' } },
  details: 'join orders sold on sold.id = r.order_id',
  key: 'r.id',
  counted: { list: 'refunds', time: 'r.created_at' },
  columns: `r.id, r.created_at, r.modified_at, r.metadata, r.status, r.reason, r.amount, r.tax_amount, r.currency, r.organization_id,
    r.order_id, sold.subscription_id, sold.customer_id, r.revoke_benefits`,
}

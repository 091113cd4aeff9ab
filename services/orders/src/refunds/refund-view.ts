import type { Refund } from '@quittance/contracts/refunds'
import type { View } from '@quittance/runtime/view'

export const refundView: View<Refund> = {
  name: 'refund',
  organization: 'r.organization_id',
  from: 'refunds r join orders o on o.id = r.order_id',
  columns: `r.id, r.created_at, r.modified_at, r.metadata, r.status, r.reason, r.amount, r.tax_amount, r.currency, r.organization_id,
    r.order_id, o.subscription_id, o.customer_id, r.revoke_benefits`,
}

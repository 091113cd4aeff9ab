import type { InvoiceSource } from '@quittance/contracts/orders'
import { nested, nestedList, type View } from '@quittance/runtime/view'

const items = nestedList(
  'i.label, i.amount, i.discount_amount, i.tax_amount, i.proration',
  'order_items i where i.order_id = o.id order by i.position',
)

const refunds = nestedList(
  'r.id, r.amount, r.tax_amount, r.created_at',
  `refunds r where r.order_id = o.id and r.status = 'succeeded' order by r.created_at, r.id`,
)

/** The snapshot an invoice is made from. Null where the organization has not been heard of yet. */
export const invoiceSourceView: View<InvoiceSource> = {
  name: 'invoice-source',
  organization: 'o.organization_id',
  customer: 'o.customer_id',
  from: `orders o join customers c on c.id = o.customer_id join organizations g on g.id = o.organization_id`,
  columns: `o.id as order_id, o.created_at as order_created_at, ${nested('g.id, g.name, g.slug')} as organization, o.customer_id, o.currency,
    o.billing_name, o.billing_address, o.tax_id, c.email as customer_email,
    c.locale,
    case when o.period_end is not null then ${nested('o.period_start as start, o.period_end as end')} end as period,
    ${items} as items, ${refunds} as refunds,
    o.subtotal_amount, o.discount_amount, o.net_amount, o.tax_amount, o.taxes, o.tax_behavior,
    o.total_amount, o.paid_at`,
}

import type { InvoiceSource } from '@quittance/contracts/orders'
import { nested, nestedList, type View } from '@quittance/runtime/view'

/** The snapshot an invoice is made from. Null where the organization has not been heard of yet. */
export const invoiceSourceView: View<InvoiceSource> = {
  name: 'invoice-source',
  organization: 'o.organization_id',
  customer: 'o.customer_id',
  from: `orders o join customers c on c.id = o.customer_id join organizations g on g.id = o.organization_id`,
  columns: `o.id as order_id, o.created_at as order_created_at, ${nested('g.id, g.name, g.slug')} as organization, o.customer_id, o.currency,
    o.billing_name, o.billing_address, o.tax_id, c.email as customer_email,
    ${nestedList('i.label, i.amount', 'order_items i where i.order_id = o.id order by i.position')} as items,
    o.subtotal_amount, o.discount_amount, o.net_amount, o.tax_amount, o.taxes, o.tax_behavior,
    o.total_amount, o.paid_at`,
}

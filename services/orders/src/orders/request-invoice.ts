import { type Transaction, command } from '@quittance/runtime/handler'
import { findMissingSellerDetails } from '../organizations/invoice-requirements.ts'
import { Order } from './order.ts'
import {
  generateOrderInvoice as generateOrderInvoiceContract,
  orderInvoiceRequested,
  type InvoiceSource,
} from '@quittance/contracts/orders'
import { nested, nestedList, type View } from '@quittance/runtime/view'

/** Freezes the billing details and publishes the invoice request, for sellers and buyers alike. */
export async function requestInvoice({ id }: { id: string }, context: Transaction): Promise<null> {
  const order = await context.em.findOneOrFail(Order, id)
  const { organizationId, taxes } = order
  const missing = await findMissingSellerDetails(context.sql, { organizationId, isTaxed: taxes.some(({ amount }) => amount !== 0) })
  order.requestInvoice(context.now, missing)
  await publishInvoiceRequested(order, context)
  return null
}

export const generateInvoice = command(generateOrderInvoiceContract, requestInvoice)

/**
 * Publishes the snapshot the invoice is created from. Publishing it again is harmless: an order has one invoice, each refund one credit
 * note, and each returned refund one reversal.
 */
export async function publishInvoiceRequested({ id, organizationId }: Order, { read, publish }: Transaction): Promise<void> {
  const payload = await read.one(invoiceSourceView, { where: 'o.id = :id', values: { id } })
  publish({ event: orderInvoiceRequested, aggregateId: id, organizationId, payload })
}

const items = nestedList(
  'i.label, i.amount, i.discount_amount, i.tax_amount, i.proration, i.quantity, i.amount / i.quantity as unit_amount, i.tax_position',
  'order_items i where i.order_id = o.id order by i.position',
)

const refundsWith = (status: 'succeeded' | 'failed') =>
  nestedList(
    'r.id, r.amount, r.tax_amount, r.created_at, r.reason',
    `refunds r where r.order_id = o.id and r.purpose = 'order' and r.status = '${status}' order by r.created_at, r.id`,
  )

const paidWith = `payments p join payment_methods m on m.id = p.payment_method_id
  where p.order_id = o.id and p.status = 'succeeded' order by p.created_at desc, p.id limit 1`

/** The snapshot an invoice is created from. Null if the organization has not been received yet. */
export const invoiceSourceView: View<InvoiceSource> = {
  name: 'invoice-source',
  organization: 'o.organization_id',
  customer: 'o.customer_id',
  checkout: 'o.checkout_id = :checkout',
  from: `orders o join customers c on c.id = o.customer_id join organizations g on g.id = o.organization_id
    left join checkouts ch on ch.id = o.checkout_id and not ch.is_customer_proven`,
  columns: `o.id as order_id, o.created_at as order_created_at, ${nested('g.id, g.name, g.slug')} as organization, o.customer_id, o.checkout_id, o.currency,
    o.billing_name, o.billing_address, o.tax_id, coalesce(ch.customer_email, c.email) as customer_email,
    case when ch.id is null then c.locale end as locale,
    case when o.period_end is not null then ${nested('o.period_start as start, o.period_end as end')} end as period,
    ${items} as items, ${refundsWith('succeeded')} as refunds, ${refundsWith('failed')} as reversed_refunds,
    o.subtotal_amount, o.discount_amount, o.net_amount, o.tax_amount, o.taxes, o.tax_behavior,
    o.total_amount, o.paid_at, o.metadata ->> 'buyer_reference' as buyer_reference, o.metadata ->> 'electronic_address' as buyer_address,
    ${nested('m.type, m.brand, m.last4', paidWith)} as payment`,
}

import { LockMode } from '@mikro-orm/core'
import { callerProof, type Caller } from '@quittance/contracts/caller'
import { command, type CommandContext, type Transaction } from '@quittance/runtime/handler'
import { findMissingSellerDetails } from '../organizations/invoice-requirements.ts'
import { Order } from './order.ts'
import { invoiceTransfer, requestedTransfer } from './requested-transfer.ts'
import { orderInvoiceRequested, type InvoiceSource } from '@quittance/contracts/invoice-source'
import { generateOrderInvoice as contract } from '@quittance/contracts/orders'
import { orderInvoiceDue, type UnpaidInvoiceSource } from '@quittance/contracts/unpaid-invoices'
import { nested, nestedList, type View } from '@quittance/sql/view'

/**
 * Freezes the billing details and publishes the invoice request, for sellers and buyers alike. An order that waits for a bank transfer is
 * invoiced before it is paid, because its buyer pays by the invoice.
 */
export async function requestInvoice({ id }: { id: string }, context: CommandContext): Promise<null> {
  const order = await context.em.findOneOrFail(Order, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  const { organizationId, taxes } = order
  const isPaid = order.status !== 'pending'
  const awaitsTransfer = !isPaid && mayInvoiceUnpaid(context.caller) && (await findRequestedTransfer(id, context)) !== null
  const missingSellerDetails = await findMissingSellerDetails(context.sql, {
    organizationId,
    isTaxed: taxes.some(({ amount }) => amount !== 0),
  })
  order.requestInvoice({ now: context.now, awaitsTransfer, missingSellerDetails })
  if (isPaid) await publishInvoiceRequested(order, context)
  else await publishInvoiceDue(order, context)
  return null
}

/** A number of the seller is used for good, so that a buyer whose address was only typed has to pay or to sign in first. */
const mayInvoiceUnpaid = (caller: Caller) => caller.kind !== 'customer' || callerProof(caller) !== null

/** Locks the payment: its end waits, and then sees that the order has an invoice. */
async function findRequestedTransfer(orderId: string, { sql }: Transaction): Promise<{ id: string } | null> {
  const [found] = await sql<{ id: string }>('order.requested-transfer', selectRequestedTransfer, { order_id: orderId })
  return found ?? null
}

const selectRequestedTransfer = `
  select p.id from payments p join orders o on o.id = p.order_id
  where o.id = :order_id and ${requestedTransfer} and o.organization_id = any (:scope_organizations)
    and (:scope_customer::uuid is null or o.customer_id = :scope_customer)
    and (:scope_checkout::uuid is null or o.checkout_id = :scope_checkout)
  for update of p`

export const generateOrderInvoice = command(contract, requestInvoice)

/**
 * Publishes the snapshot the invoice is created from. Publishing it again is harmless: an order has one invoice, each refund one credit
 * note, and each returned refund one reversal.
 */
export async function publishInvoiceRequested({ id, organizationId }: Order, { read, publish }: Transaction): Promise<void> {
  const payload = await read.one(invoiceSourceView, { where: 'o.id = :id', values: { id } })
  publish({ event: orderInvoiceRequested, aggregateId: id, organizationId, payload })
}

async function publishInvoiceDue({ id, organizationId }: Order, { read, publish }: Transaction): Promise<void> {
  const payload = await read.one(unpaidInvoiceSourceView, { where: 'o.id = :id', values: { id } })
  publish({ event: orderInvoiceDue, aggregateId: id, organizationId, payload })
}

const items = nestedList(
  'i.label, i.amount, i.discount_amount, i.tax_amount, i.proration, i.quantity, i.amount / i.quantity as unit_amount, i.tax_position',
  'order_items i where i.order_id = o.id order by i.position',
)

const refundsWith = (statuses: string) =>
  nestedList(
    'r.id, r.amount, r.tax_amount, r.created_at, r.reason',
    `refunds r where r.order_id = o.id and r.purpose = 'order' and r.status in (${statuses}) order by r.created_at, r.id`,
  )

const paidWith = `payments p join payment_methods m on m.id = p.payment_method_id
  where p.order_id = o.id and p.applied_at is not null order by p.created_at desc, p.id limit 1`

const columns = `o.id as order_id, o.created_at as order_created_at, ${nested('g.id, g.name, g.slug')} as organization, o.customer_id, o.checkout_id, o.currency,
    o.billing_name, o.billing_address, o.tax_id, coalesce(ch.customer_email, c.email) as customer_email,
    case when ch.id is null then c.locale end as locale,
    case when o.period_end is not null then ${nested('o.period_start as start, o.period_end as end')} end as period,
    ${items} as items, ${refundsWith(`'succeeded'`)} as refunds, ${refundsWith(`'failed', 'canceled'`)} as reversed_refunds,
    o.subtotal_amount, o.discount_amount, o.net_amount, o.tax_amount, o.taxes, o.tax_behavior,
    o.total_amount, o.paid_at, o.metadata ->> 'buyer_reference' as buyer_reference, o.metadata ->> 'electronic_address' as buyer_address,
    ${nested('m.type, m.brand, m.last4', paidWith)} as payment`

const invoicedOrder = {
  organization: 'o.organization_id',
  customer: 'o.customer_id',
  checkout: 'o.checkout_id = :checkout',
  from: `orders o join customers c on c.id = o.customer_id join organizations g on g.id = o.organization_id
    left join checkouts ch on ch.id = o.checkout_id and not ch.is_customer_proven`,
}

/** The snapshot an invoice is created from. Null if the organization has not been received yet. */
export const invoiceSourceView: View<InvoiceSource> = { ...invoicedOrder, name: 'invoice-source', columns }

/** The same of an order that waits for a bank transfer. */
const unpaidInvoiceSourceView: View<UnpaidInvoiceSource> = {
  ...invoicedOrder,
  name: 'unpaid-invoice-source',
  columns: `${columns}, ${invoiceTransfer} as transfer`,
}

import { z } from 'zod'
import { Address } from './address.ts'
import { event } from './event.ts'
import { Id } from './identifiers.ts'
import { Amount, Currency } from './money.ts'
import { AppliedTax, TaxBehavior } from './taxes.ts'

/** A line of the snapshot that an invoice is created from. Events of release 0.1.0 have neither quantity nor tax. */
const InvoiceSourceItem = z.object({
  label: z.string(),
  /** Before discount and tax: the quantity times the price of a unit. */
  amount: Amount,
  discount_amount: Amount,
  tax_amount: Amount,
  proration: z.boolean(),
  quantity: z.int().min(1).nullish(),
  unit_amount: Amount.nullish(),
  /** The tax of the line: 1 for the first of `taxes`, 0 for none; null if it is unknown. */
  tax_position: z.int().min(0).nullish(),
})

/** A refund, which gets a credit note. Events of release 0.1.0 have no reason. */
const InvoiceSourceRefund = z.object({
  id: Id,
  amount: Amount,
  tax_amount: Amount,
  created_at: z.string(),
  reason: z.string().nullish(),
})

/** The method that paid for an order, as stored: never more than the last four characters. */
const InvoiceSourcePayment = z.object({ type: z.string(), brand: z.string().nullable(), last4: z.string().nullable() })

/** Maximum number of items of an order. With more, a reply or event could exceed 8 MB and an invoice its rendering timeout. */
export const maxOrderItems = 5_000

/** Snapshot from which an invoice is created, so that no further request is needed. */
export const InvoiceSource = z.object({
  order_id: Id,
  order_created_at: z.string(),
  organization: z.object({ id: Id, name: z.string(), slug: z.string() }),
  customer_id: Id,
  /** The checkout of the order; absent in events of release 0.1.0. */
  checkout_id: Id.nullish(),
  currency: Currency,
  billing_name: z.string(),
  billing_address: Address,
  tax_id: z.string().nullable(),
  customer_email: z.string(),
  /** BCP 47; null if the buyer's locale is unknown. */
  locale: z.string().nullable(),
  /** Billing period of a subscription payment. */
  period: z.object({ start: z.string(), end: z.string() }).nullable(),
  items: z.array(InvoiceSourceItem).max(maxOrderItems),
  taxes: z.array(AppliedTax),
  tax_behavior: TaxBehavior,
  subtotal_amount: Amount,
  discount_amount: Amount,
  net_amount: Amount,
  tax_amount: Amount,
  total_amount: Amount,
  paid_at: z.string(),
  /** Refunds so far, oldest first; each gets a credit note. */
  refunds: z.array(InvoiceSourceRefund),
  /** Refunds that were returned after they had succeeded, oldest first; absent in events of release 0.1.0. */
  reversed_refunds: z.array(z.object({ id: Id, amount: Amount, tax_amount: Amount, created_at: z.string() })).nullish(),
  payment: InvoiceSourcePayment.nullish(),
  /** Metadata of the order: the reference that the buyer wants (BT-10), and their address in a network as `scheme:id` (BT-49). */
  buyer_reference: z.string().nullish(),
  buyer_address: z.string().nullish(),
})
export type InvoiceSource = z.infer<typeof InvoiceSource>

export const orderInvoiceRequested = event({
  subject: 'event.order.invoice_requested',
  publisher: 'orders',
  webhookType: null,
  summary:
    'The invoice of a paid order is due; its billing details can no longer change. Published again for the payment of an order that was invoiced before, for every later refund, for every refund that is returned, and for every new request.',
  payload: InvoiceSource,
})

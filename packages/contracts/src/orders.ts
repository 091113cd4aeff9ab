import { z } from 'zod'
import { Address, AddressInput } from './address.ts'
import { deprecatedSince } from './changes.ts'
import { Customer } from './customers.ts'
import { DiscountSummary } from './discounts.ts'
import { ApiError, RequestValidationError, ResourceNotFound } from './errors.ts'
import { event } from './event.ts'
import { Id, oneOrMany, timestamps } from './identifiers.ts'
import { Metadata, MetadataFilter } from './metadata.ts'
import { Amount, Currency } from './money.ts'
import { operation } from './operation.ts'
import { after, DocumentPart, ListReply, pageRequest, sorting } from './pagination.ts'
import { ProductPrice, ProductSummary } from './products.ts'
import { OrderSubscription } from './subscriptions.ts'
import { AppliedTax, TaxBehavior } from './taxes.ts'

/** 409: the invoice exists; it is permanent. */
export class InvoiceAlreadyExists extends ApiError {
  readonly status = 409
}

/** 422: only paid orders are invoiced. */
export class NotPaidOrder extends ApiError {
  readonly status = 422
}

/** 422: an invoice needs the buyer's name and address, with a postal code where the country has them. The detail names what is missing. */
export class MissingInvoiceBillingDetails extends ApiError {
  readonly status = 422
}

export const OrderStatus = z.enum(['pending', 'paid', 'refunded', 'partially_refunded'])
export type OrderStatus = z.infer<typeof OrderStatus>

export const BillingReason = z.enum(['purchase', 'subscription_create', 'subscription_cycle', 'subscription_update'])
export type BillingReason = z.infer<typeof BillingReason>

/** A line of an order. */
export const OrderItem = z
  .object({
    id: Id,
    ...timestamps,
    label: z.string(),
    amount: Amount.describe('Before discount and tax.'),
    discount_amount: Amount,
    tax_amount: Amount,
    proration: z.boolean(),
    product_price_id: Id.nullable(),
  })
  .meta({ id: 'OrderItem' })

/** A sale. `subtotal − discount = net`, `net + tax = total`, always. */
export const Order = z
  .object({
    id: Id,
    ...timestamps,
    status: OrderStatus,
    paid: z.boolean(),
    subtotal_amount: Amount,
    discount_amount: Amount,
    net_amount: Amount,
    amount: Amount.meta(deprecatedSince('2025-03-14', 'use net_amount')),
    tax_amount: Amount,
    taxes: z.array(AppliedTax),
    tax_behavior: TaxBehavior.describe('Whether prices were advertised with their tax.'),
    total_amount: Amount,
    refunded_amount: Amount,
    refunded_tax_amount: Amount,
    currency: Currency,
    billing_reason: BillingReason,
    billing_name: z.string().nullable(),
    billing_address: Address.nullable(),
    is_invoice_generated: z.boolean(),
    customer_id: Id,
    product_id: Id,
    product_price_id: Id.nullable().meta(deprecatedSince('2025-03-14', 'use items')),
    product_price: ProductPrice.nullable().meta(deprecatedSince('2025-03-14', 'use items')),
    discount_id: Id.nullable(),
    subscription_id: Id.nullable(),
    checkout_id: Id.nullable(),
    metadata: Metadata,
    custom_field_data: z.record(z.string(), z.unknown()),
    customer: Customer,
    user_id: Id.meta({ deprecated: true, description: 'Deprecated; use customer_id.' }),
    product: ProductSummary,
    discount: DiscountSummary.nullable(),
    subscription: OrderSubscription.nullable(),
    items: z.array(OrderItem),
  })
  .meta({ id: 'Order' })
export type Order = z.infer<typeof Order>

export const getOrder = operation({
  subject: 'orders.order.get',
  summary: 'Get an order',
  http: { method: 'GET', path: '/v1/orders/{id}', status: 200, scopes: ['orders:read'], callers: ['organization', 'user'] },
  request: z.object({ id: Id }),
  reply: Order,
  errors: [ResourceNotFound],
})

export const listOrders = operation({
  subject: 'orders.order.list',
  summary: 'List orders',
  http: { method: 'GET', path: '/v1/orders/', status: 200, scopes: ['orders:read'], callers: ['organization', 'user'] },
  request: z.object({
    ...pageRequest,
    organization_id: oneOrMany(Id),
    product_id: oneOrMany(Id),
    product_billing_type: oneOrMany(z.enum(['one_time', 'recurring'])),
    discount_id: oneOrMany(Id),
    customer_id: oneOrMany(Id),
    checkout_id: oneOrMany(Id),
    metadata: MetadataFilter,
    sorting: sorting(['created_at', 'amount', 'net_amount', 'customer', 'product', 'discount', 'subscription'], '-created_at'),
  }),
  reply: ListReply(Order),
  errors: [],
})

export const exportOrders = operation({
  subject: 'orders.order.export',
  summary: 'Export orders as CSV, oldest first; amounts are in minor units',
  http: {
    method: 'GET',
    path: '/v1/orders/export',
    status: 200,
    scopes: ['orders:read'],
    callers: ['organization', 'user'],
    document: { contentType: 'text/csv; charset=utf-8', fileName: 'orders.csv' },
  },
  request: z.object({
    organization_id: oneOrMany(Id),
    product_id: oneOrMany(Id),
    customer_id: oneOrMany(Id),
    after,
  }),
  reply: DocumentPart,
  errors: [],
})

/** Blank text is null: an invoice cannot be made out to spaces. */
const billingName = z
  .string()
  .max(250)
  .nullable()
  .transform((name) => name?.trim() || null)

/** A change of the billing details: keys that are absent stay as they are. */
export const BillingDetailsChange = z.object({ id: Id, billing_name: billingName.optional(), billing_address: AddressInput.nullish() })
export type BillingDetailsChange = z.infer<typeof BillingDetailsChange>

export const updateOrder = operation({
  subject: 'orders.order.update',
  summary: 'Change the billing details of an order, until its invoice is requested',
  http: { method: 'PATCH', path: '/v1/orders/{id}', status: 200, scopes: ['orders:write'], callers: ['organization', 'user'] },
  request: BillingDetailsChange,
  reply: Order,
  errors: [ResourceNotFound, RequestValidationError],
})

export const generateOrderInvoice = operation({
  subject: 'orders.order.generate-invoice',
  summary: 'Schedule the generation of an order’s invoice',
  http: { method: 'POST', path: '/v1/orders/{id}/invoice', status: 202, scopes: ['orders:read'], callers: ['organization', 'user'] },
  request: z.object({ id: Id }),
  reply: z.null(),
  errors: [ResourceNotFound, InvoiceAlreadyExists, NotPaidOrder, MissingInvoiceBillingDetails],
})

export const orderCreated = event({
  subject: 'event.order.created',
  publisher: 'orders',
  webhookType: 'order.created',
  summary: 'An order was created; it may not be paid yet.',
  payload: Order,
})

export const orderUpdated = event({
  subject: 'event.order.updated',
  publisher: 'orders',
  webhookType: 'order.updated',
  summary: 'The status, the billing details or the invoice of an order changed, or it was refunded.',
  payload: Order,
})

export const orderPaid = event({
  subject: 'event.order.paid',
  publisher: 'orders',
  webhookType: 'order.paid',
  summary: 'An order is fully processed and paid.',
  payload: Order,
})

/** An order with more would be longer than an answer or event may be (8 MB), and an invoice longer than its time to be printed. */
export const mostItems = 5_000

/** What an invoice is made from: a snapshot, so that nobody asks back. */
export const InvoiceSource = z.object({
  order_id: Id,
  order_created_at: z.string(),
  organization: z.object({ id: Id, name: z.string(), slug: z.string() }),
  customer_id: Id,
  currency: Currency,
  billing_name: z.string(),
  billing_address: Address,
  tax_id: z.string().nullable(),
  customer_email: z.string(),
  /** BCP 47; null where the buyer has said nothing. */
  locale: z.string().nullable(),
  /** What a subscription was paid for. */
  period: z.object({ start: z.string(), end: z.string() }).nullable(),
  items: z
    .array(z.object({ label: z.string(), amount: Amount, discount_amount: Amount, tax_amount: Amount, proration: z.boolean() }))
    .max(mostItems),
  taxes: z.array(AppliedTax),
  tax_behavior: TaxBehavior,
  subtotal_amount: Amount,
  discount_amount: Amount,
  net_amount: Amount,
  tax_amount: Amount,
  total_amount: Amount,
  paid_at: z.string(),
  /** What was given back so far, oldest first; each gets a credit note. */
  refunds: z.array(z.object({ id: Id, amount: Amount, tax_amount: Amount, created_at: z.string() })),
})
export type InvoiceSource = z.infer<typeof InvoiceSource>

export const orderInvoiceRequested = event({
  subject: 'event.order.invoice_requested',
  publisher: 'orders',
  webhookType: null,
  summary:
    'The invoice of a paid order is due, its billing details are frozen. Said again for every refund that follows, and when it is asked for again.',
  payload: InvoiceSource,
})

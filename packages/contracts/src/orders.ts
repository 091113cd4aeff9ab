import { z } from 'zod'
import { Address, AddressInput } from './address.ts'
import { deprecatedSince } from './changes.ts'
import { Customer } from './customers.ts'
import { DiscountSummary } from './discounts.ts'
import { ApiError, RequestValidationError, ResourceNotFound } from './errors.ts'
import { event } from './event.ts'
import { customerFilters, Id, oneOrMany, Timestamp, timestamps } from './identifiers.ts'
import { Metadata, MetadataFilter } from './metadata.ts'
import { Amount, Currency } from './money.ts'
import { operation } from './operation.ts'
import { after, DocumentPart, ListReply, pageRequest, sorting } from './pagination.ts'
import { withoutControls } from './printed-text.ts'
import { ProductPrice } from './product-prices.ts'
import { ProductSummary } from './products.ts'
import { OrderSubscription } from './subscriptions.ts'
import { AppliedTax, TaxBehavior } from './taxes.ts'

/** 409: the invoice exists and is permanent. */
export class InvoiceAlreadyExists extends ApiError {
  readonly status = 409
}

/** 422: only orders that are paid, or that wait for a bank transfer, can be invoiced. */
export class NotPaidOrder extends ApiError {
  readonly status = 422
}

/** 422: an invoice needs the buyer's name and address, with a postal code if the country has them. The detail names what is missing. */
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

/** A sale. Always: `subtotal − discount = net`, `net + tax = total`. */
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
    tax_behavior: TaxBehavior.describe('Whether prices include their tax.'),
    total_amount: Amount,
    applied_balance_amount: Amount.describe('Always 0: customers have no balance.'),
    from_balance_amount: Amount.meta({ deprecated: true, description: 'Deprecated; use applied_balance_amount.' }),
    due_amount: Amount.describe('What the buyer owes or has paid: the total amount; 0 once the order is voided.'),
    refunded_amount: Amount,
    refunded_tax_amount: Amount,
    refundable_amount: Amount.describe('Without tax: what was not refunded yet.'),
    refundable_tax_amount: Amount,
    platform_fee_amount: Amount.describe('Always 0: there is no fee.'),
    platform_fee_currency: Currency.nullable(),
    currency: Currency,
    billing_reason: BillingReason,
    billing_name: z.string().nullable(),
    billing_address: Address.nullable(),
    is_invoice_generated: z.boolean(),
    receipt_number: z.null().describe('The invoice is the receipt.'),
    invoice_number: z.string().describe('Empty until the invoice is generated. After a correction that of the replacement.'),
    description: z.string().describe('Name of the product.'),
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
    voided_at: Timestamp.nullish().describe(
      'When the seller voided it: a credit note covers its invoice, and money that arrives is returned.',
    ),
    withdrawal_until: Timestamp.nullish().describe(
      'Last moment of the right of withdrawal of a consumer in the EU or EEA, else null: the end of a working day, without regard to holidays.',
    ),
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
    ...customerFilters,
    checkout_id: oneOrMany(Id),
    subscription_id: oneOrMany(Id),
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
  request: z.object({ organization_id: oneOrMany(Id), product_id: oneOrMany(Id), customer_id: oneOrMany(Id), after }),
  reply: DocumentPart,
  errors: [],
})

/** Blank text is null, so that no invoice has a name of spaces only. */
const billingName = withoutControls(z.string().max(250))
  .nullable()
  .transform((name) => name?.trim() || null)

/** A change of the billing details; absent keys are not changed. */
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
  summary:
    'Request the invoice of an order, a permanent document generated in the background; `orders:read` suffices, as in the official contract',
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
  summary: 'The status, the billing details or the invoice of an order changed, or it was refunded or voided.',
  payload: Order,
})

export const orderPaid = event({
  subject: 'event.order.paid',
  publisher: 'orders',
  webhookType: 'order.paid',
  summary: 'An order is fully processed and paid.',
  payload: Order,
})

import { z } from 'zod'
import { RequestValidationError, ResourceNotFound } from './errors.ts'
import { Id, oneOrMany } from './identifiers.ts'
import { type HttpBinding, operation } from './operation.ts'
import { BillingDetailsChange, InvoiceAlreadyExists, MissingInvoiceBillingDetails, NotPaidOrder, Order } from './orders.ts'
import { Organization } from './organizations.ts'
import { ListReply, pageRequest, sorting } from './pagination.ts'
import { CheckoutProduct } from './products.ts'
import { CustomerOrderSubscription } from './subscriptions.ts'
import { TransferInstructions } from './transfer-instructions.ts'

/** Operations of a customer with a portal session. The session implies `customer_portal:write`, so no scope is required. */
export const portal = { scopes: [], callers: ['customer'] } satisfies Partial<HttpBinding>

/** A product as returned to its buyer. */
export const CustomerOrderProduct = CheckoutProduct.extend({ organization: Organization }).meta({ id: 'CustomerOrderProduct' })

/** An order as returned to its buyer: without the seller's metadata. */
export const CustomerOrder = Order.omit({
  metadata: true,
  custom_field_data: true,
  customer: true,
  discount: true,
  product: true,
  platform_fee_amount: true,
  platform_fee_currency: true,
})
  .extend({
    product: CustomerOrderProduct,
    subscription: CustomerOrderSubscription.nullable(),
    transfer: TransferInstructions.nullish().describe('How to send the money while the order waits for a bank transfer, else null.'),
  })
  .meta({ id: 'CustomerOrder' })
export type CustomerOrder = z.infer<typeof CustomerOrder>

export const listCustomerOrders = operation({
  subject: 'orders.customer-order.list',
  summary: 'List your orders',
  http: { method: 'GET', path: '/v1/customer-portal/orders/', status: 200, ...portal },
  request: z.object({
    ...pageRequest,
    organization_id: oneOrMany(Id),
    product_id: oneOrMany(Id),
    product_billing_type: oneOrMany(z.enum(['one_time', 'recurring'])),
    subscription_id: oneOrMany(Id),
    query: z.string().max(200).optional(),
    sorting: sorting(['created_at', 'amount', 'net_amount', 'product', 'subscription'], '-created_at'),
  }),
  reply: ListReply(CustomerOrder),
  errors: [],
})

export const getCustomerOrder = operation({
  subject: 'orders.customer-order.get',
  summary: 'Get one of your orders',
  http: { method: 'GET', path: '/v1/customer-portal/orders/{id}', status: 200, ...portal },
  request: z.object({ id: Id }),
  reply: CustomerOrder,
  errors: [ResourceNotFound],
})

export const updateCustomerOrder = operation({
  subject: 'orders.customer-order.update',
  summary: 'Change the billing details of one of your orders, until its invoice is requested',
  http: { method: 'PATCH', path: '/v1/customer-portal/orders/{id}', status: 200, ...portal },
  request: BillingDetailsChange,
  reply: CustomerOrder,
  errors: [ResourceNotFound, RequestValidationError],
})

export const generateCustomerOrderInvoice = operation({
  subject: 'orders.customer-order.generate-invoice',
  summary: 'Schedule the generation of the invoice of one of your orders',
  http: { method: 'POST', path: '/v1/customer-portal/orders/{id}/invoice', status: 202, ...portal },
  request: z.object({ id: Id }),
  reply: z.null(),
  errors: [ResourceNotFound, InvoiceAlreadyExists, NotPaidOrder, MissingInvoiceBillingDetails],
})

/** A seller and its products for sale, publicly readable. */
export const CustomerOrganization = z
  .object({
    organization: Organization,
    products: z.array(CheckoutProduct.meta({ id: 'CustomerProduct' })),
    payment_processor_metadata: z
      .record(z.string(), z.string())
      .optional()
      .describe('`provider` and `publishable_key` of the account that charges new payment methods; empty if there is none.'),
  })
  .meta({ id: 'CustomerOrganization' })
export type CustomerOrganization = z.infer<typeof CustomerOrganization>

export const getPortalOrganization = operation({
  subject: 'orders.portal-organization.get',
  summary: 'Get a seller by its slug, with its products for sale',
  http: {
    method: 'GET',
    path: '/v1/customer-portal/organizations/{slug}',
    status: 200,
    scopes: [],
    callers: ['anonymous'],
  },
  request: z.object({ slug: z.string().max(100) }),
  reply: CustomerOrganization,
  errors: [ResourceNotFound],
})

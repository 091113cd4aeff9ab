import { z } from 'zod'
import { Address, AddressInput } from './address.ts'
import { deprecatedSince } from './changes.ts'
import { CheckoutDiscount } from './discounts.ts'
import { ApiError, RequestValidationError, ResourceNotFound, ServiceUnavailable } from './errors.ts'
import { event } from './event.ts'
import { Id, oneOrMany, Timestamp, timestamps } from './identifiers.ts'
import { Metadata, MetadataInput } from './metadata.ts'
import { Amount, Currency, largestAmount } from './money.ts'
import { operation } from './operation.ts'
import { Organization } from './organizations.ts'
import { ListReply, pageRequest, sorting } from './pagination.ts'
import { CheckoutProduct, ProductPrice } from './products.ts'
import { AppliedTax } from './taxes.ts'

/** 403: the checkout is not open any more. */
export class NotOpenCheckout extends ApiError {
  readonly status = 403
}

/** 410: the checkout was not confirmed in time. */
export class ExpiredCheckoutError extends ApiError {
  readonly status = 410
}

/** 400: the payment was declined; the checkout stays open. */
export class PaymentError extends ApiError {
  readonly status = 400
}

/** 403: the customer has a subscription already, and the organization allows one. */
export class AlreadyActiveSubscriptionError extends ApiError {
  readonly status = 403
}

export const CheckoutStatus = z.enum(['open', 'expired', 'confirmed', 'succeeded', 'failed'])
export type CheckoutStatus = z.infer<typeof CheckoutStatus>

const publicFields = {
  id: Id,
  ...timestamps,
  custom_field_data: z.record(z.string(), z.unknown()),
  payment_processor: z.literal('stripe'),
  status: CheckoutStatus,
  client_secret: z.string(),
  url: z.string(),
  expires_at: Timestamp,
  success_url: z.string(),
  embed_origin: z.string().nullable(),
  amount: Amount,
  discount_amount: Amount,
  net_amount: Amount,
  tax_amount: Amount.nullable().describe('Null while the country of the buyer is not known.'),
  taxes: z.array(AppliedTax),
  total_amount: Amount,
  subtotal_amount: Amount.meta(deprecatedSince('2025-03-25', 'use net_amount')),
  currency: Currency,
  product_id: Id,
  product_price_id: Id,
  discount_id: Id.nullable(),
  allow_discount_codes: z.boolean(),
  require_billing_address: z.boolean(),
  is_discount_applicable: z.boolean(),
  is_free_product_price: z.boolean(),
  is_payment_required: z.boolean(),
  is_payment_setup_required: z.boolean(),
  is_payment_form_required: z.boolean(),
  customer_id: Id.nullable(),
  is_business_customer: z.boolean(),
  customer_name: z.string().nullable(),
  customer_email: z.string().nullable(),
  customer_ip_address: z.string().nullable(),
  customer_billing_name: z.string().nullable(),
  customer_billing_address: Address.nullable(),
  customer_tax_id: z.string().nullable(),
  payment_processor_metadata: z.record(z.string(), z.string()),
  customer_billing_address_fields: z.object({
    country: z.boolean(),
    state: z.boolean(),
    city: z.boolean(),
    postal_code: z.boolean(),
    line1: z.boolean(),
    line2: z.boolean(),
  }),
  products: z.array(CheckoutProduct),
  product: CheckoutProduct,
  product_price: ProductPrice,
  discount: CheckoutDiscount.nullable(),
  attached_custom_fields: z.array(z.unknown()),
}

/** A checkout as the seller sees it. */
export const Checkout = z
  .object({
    ...publicFields,
    metadata: Metadata,
    external_customer_id: z.string().nullable(),
    customer_external_id: z.string().nullable().meta(deprecatedSince('2025-06-18', 'use external_customer_id')),
    subscription_id: Id.nullable(),
    customer_metadata: Metadata,
  })
  .meta({ id: 'Checkout' })
export type Checkout = z.infer<typeof Checkout>

/** A checkout as the buyer sees it. */
export const CheckoutPublic = z.object({ ...publicFields, organization: Organization }).meta({ id: 'CheckoutPublic' })
export type CheckoutPublic = z.infer<typeof CheckoutPublic>

/** The answer to a confirmation, with a portal token for the buyer. */
export const CheckoutPublicConfirmed = z
  .object({ ...publicFields, status: z.literal('confirmed'), organization: Organization, customer_session_token: z.string() })
  .meta({ id: 'CheckoutPublicConfirmed' })

const email = z.email().max(254).nullish()
/** What the buyer wants to pay for a product with a custom price; other prices are what they are. */
const chosenAmount = z.int().min(50).max(largestAmount).nullish()
const personName = z.string().trim().max(250).nullish()

export const createCheckout = operation({
  subject: 'orders.checkout.create',
  summary: 'Create a checkout',
  http: { method: 'POST', path: '/v1/checkouts/', status: 201, scopes: ['checkouts:write'], callers: ['organization', 'user'] },
  request: z.object({
    products: z.array(Id).min(1).max(20),
    amount: chosenAmount,
    subscription_id: Id.nullish().describe('A free subscription that becomes the one that is bought, once it is paid.'),
    discount_id: Id.nullish(),
    allow_discount_codes: z.boolean().default(true),
    require_billing_address: z.boolean().default(false),
    customer_id: Id.nullish(),
    is_business_customer: z.boolean().default(false),
    external_customer_id: z.string().min(1).max(200).nullish(),
    customer_external_id: z.string().min(1).max(200).nullish().meta(deprecatedSince('2025-06-18', 'use external_customer_id')),
    customer_name: personName,
    customer_email: email,
    customer_ip_address: z.union([z.ipv4(), z.ipv6()]).nullish(),
    customer_billing_name: personName,
    customer_billing_address: AddressInput.nullish(),
    customer_tax_id: z.string().max(50).nullish(),
    metadata: MetadataInput.default({}),
    customer_metadata: MetadataInput.default({}),
    success_url: z.string().min(1).max(2083).nullish(),
    embed_origin: z.string().max(2083).nullish(),
  }),
  reply: Checkout,
  errors: [RequestValidationError, ServiceUnavailable],
})

export const getCheckout = operation({
  subject: 'orders.checkout.get',
  summary: 'Get a checkout',
  http: {
    method: 'GET',
    path: '/v1/checkouts/{id}',
    status: 200,
    scopes: ['checkouts:read', 'checkouts:write'],
    callers: ['organization', 'user'],
  },
  request: z.object({ id: Id }),
  reply: Checkout,
  errors: [ResourceNotFound],
})

export const listCheckouts = operation({
  subject: 'orders.checkout.list',
  summary: 'List checkouts',
  http: {
    method: 'GET',
    path: '/v1/checkouts/',
    status: 200,
    scopes: ['checkouts:read', 'checkouts:write'],
    callers: ['organization', 'user'],
  },
  request: z.object({
    ...pageRequest,
    organization_id: oneOrMany(Id),
    product_id: oneOrMany(Id),
    customer_id: oneOrMany(Id),
    status: oneOrMany(CheckoutStatus),
    query: z.string().max(200).optional(),
    sorting: sorting(['created_at', 'expires_at', 'status'], '-created_at'),
  }),
  reply: ListReply(Checkout),
  errors: [],
})

const ClientSecret = z.string().max(200)

export const getCheckoutByClient = operation({
  subject: 'orders.checkout.get-by-client',
  summary: 'Get a checkout by its client secret',
  http: { method: 'GET', path: '/v1/checkouts/client/{client_secret}', status: 200, scopes: [], callers: ['anonymous'] },
  request: z.object({ client_secret: ClientSecret }),
  reply: CheckoutPublic,
  errors: [ResourceNotFound, ExpiredCheckoutError],
})

/** What buyer and seller both may change while a checkout is open. */
const changes = {
  product_id: Id.nullish(),
  product_price_id: Id.nullish().meta({ deprecated: true, description: 'Deprecated; use product_id.' }),
  amount: chosenAmount,
  is_business_customer: z.boolean().nullish(),
  customer_name: personName,
  customer_email: email,
  customer_billing_name: personName,
  customer_billing_address: AddressInput.nullish(),
  customer_tax_id: z.string().max(50).nullish(),
}

export const updateCheckout = operation({
  subject: 'orders.checkout.update',
  summary: 'Change an open checkout',
  http: { method: 'PATCH', path: '/v1/checkouts/{id}', status: 200, scopes: ['checkouts:write'], callers: ['organization', 'user'] },
  request: z.object({
    id: Id,
    ...changes,
    discount_id: Id.nullish(),
    allow_discount_codes: z.boolean().nullish(),
    require_billing_address: z.boolean().nullish(),
    customer_ip_address: z.union([z.ipv4(), z.ipv6()]).nullish(),
    metadata: MetadataInput.optional(),
    customer_metadata: MetadataInput.nullish(),
    success_url: z.string().min(1).max(2083).nullish(),
    embed_origin: z.string().max(2083).nullish(),
  }),
  reply: Checkout,
  errors: [RequestValidationError, ResourceNotFound, ExpiredCheckoutError, NotOpenCheckout],
})

export const updateCheckoutByClient = operation({
  subject: 'orders.checkout.update-by-client',
  summary: 'Change an open checkout as its buyer',
  http: { method: 'PATCH', path: '/v1/checkouts/client/{client_secret}', status: 200, scopes: [], callers: ['anonymous'] },
  request: z.object({ client_secret: ClientSecret, ...changes, discount_code: z.string().max(256).nullish() }),
  reply: CheckoutPublic,
  errors: [RequestValidationError, ResourceNotFound, ExpiredCheckoutError, NotOpenCheckout],
})

export const confirmCheckout = operation({
  subject: 'orders.checkout.confirm',
  summary: 'Confirm a checkout with a payment token; the order follows',
  http: { method: 'POST', path: '/v1/checkouts/client/{client_secret}/confirm', status: 200, scopes: [], callers: ['anonymous'] },
  request: z.object({
    client_secret: ClientSecret,
    ...changes,
    confirmation_token_id: z.string().max(200).nullish(),
    discount_code: z.string().max(256).nullish(),
  }),
  reply: CheckoutPublicConfirmed,
  errors: [RequestValidationError, ResourceNotFound, ExpiredCheckoutError, NotOpenCheckout, AlreadyActiveSubscriptionError, PaymentError],
})

export const checkoutCreated = event({
  subject: 'event.checkout.created',
  publisher: 'orders',
  webhookType: 'checkout.created',
  summary: 'A checkout was created.',
  payload: Checkout,
})

export const checkoutUpdated = event({
  subject: 'event.checkout.updated',
  publisher: 'orders',
  webhookType: 'checkout.updated',
  summary: 'A checkout was changed, confirmed or succeeded.',
  payload: Checkout,
})

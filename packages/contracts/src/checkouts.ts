import { z } from 'zod'
import { AddressInput } from './address.ts'
import { deprecatedSince } from './changes.ts'
import { Checkout, CheckoutPublic, CheckoutPublicConfirmed, CheckoutStatus } from './checkout.ts'
import { ApiError, RequestValidationError, ResourceNotFound, ServiceUnavailable, TooManyRequests } from './errors.ts'
import { event } from './event.ts'
import { customerFilters, EmailAddress, Id, NewExternalId, oneOrMany } from './identifiers.ts'
import { MetadataInput, MetadataWithIntegersInput } from './metadata.ts'
import { Currency, maxAmount, minPriceAmount } from './money.ts'
import { missingProducts, namesProducts, offeredProducts } from './offered-products.ts'
import { operation } from './operation.ts'
import { withoutControls } from './printed-text.ts'
import { ListReply, pageRequest, sorting } from './pagination.ts'
import { trialOfPurchase } from './trials.ts'

/** 403: the checkout is no longer open. */
export class NotOpenCheckout extends ApiError {
  readonly status = 403
}

/** 410: the checkout was not confirmed in time, or several payments were declined. */
export class ExpiredCheckoutError extends ApiError {
  readonly status = 410
}

/** 400: the payment was declined; the checkout stays open. */
export class PaymentError extends ApiError {
  readonly status = 400
}

/** 403: the customer already has a subscription and the organization allows only one. */
export class AlreadyActiveSubscriptionError extends ApiError {
  readonly status = 403
}

const email = EmailAddress.nullish()
/** Amount chosen by the buyer for a product with a custom price; ignored for other prices. */
const chosenAmount = z.int().min(minPriceAmount).max(maxAmount).nullish()
const personName = withoutControls(z.string().trim().max(250)).nullish()
const onlyOne = z.literal(1, 'Must be 1: a checkout sells one of a product.').nullish()

export const createCheckout = operation({
  subject: 'orders.checkout.create',
  summary: 'Create a checkout',
  http: { method: 'POST', path: '/v1/checkouts/', status: 201, scopes: ['checkouts:write'], callers: ['organization', 'user'] },
  request: z
    .object({
      ...offeredProducts,
      amount: chosenAmount,
      currency: Currency.nullish().describe('That of the selected product.'),
      quantity: onlyOne,
      seats: onlyOne,
      min_seats: onlyOne,
      max_seats: onlyOne,
      prices: z.null({ error: 'Must be null: the products have the prices.' }).optional(),
      subscription_id: Id.nullish().describe('A free subscription that is upgraded to the purchased product once the checkout is paid.'),
      discount_id: Id.nullish(),
      allow_trial: z.boolean().default(true).describe('Whether the purchase begins with the trial of the product, if it has one.'),
      ...trialOfPurchase,
      allow_discount_codes: z.boolean().default(true),
      require_billing_address: z.boolean().default(false),
      customer_id: Id.nullish(),
      is_business_customer: z.boolean().default(false),
      external_customer_id: NewExternalId.nullish(),
      customer_external_id: NewExternalId.nullish().meta(deprecatedSince('2025-06-18', 'use external_customer_id')),
      customer_name: personName,
      customer_email: email,
      customer_ip_address: z.union([z.ipv4(), z.ipv6()]).nullish(),
      customer_billing_name: personName,
      customer_billing_address: AddressInput.nullish(),
      customer_tax_id: z.string().max(50).nullish(),
      metadata: MetadataInput.default({}),
      customer_metadata: MetadataWithIntegersInput.default({}),
      success_url: z.string().min(1).max(2083).nullish(),
      embed_origin: z.string().max(2083).nullish(),
    })
    .refine(namesProducts, missingProducts),
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
    ...customerFilters,
    status: oneOrMany(CheckoutStatus),
    query: z.string().max(200).optional(),
    sorting: sorting(['created_at', 'expires_at', 'status'], '-created_at'),
  }),
  reply: ListReply(Checkout),
  errors: [],
})

const ClientSecret = z.string().max(200)
const withoutTrial = z.literal(false).nullish().describe('`false`: order without the trial.')

export const getCheckoutByClient = operation({
  subject: 'orders.checkout.get-by-client',
  summary: 'Get a checkout by its client secret',
  http: { method: 'GET', path: '/v1/checkouts/client/{client_secret}', status: 200, scopes: [], callers: ['anonymous'] },
  request: z.object({ client_secret: ClientSecret }),
  reply: CheckoutPublic,
  errors: [ResourceNotFound, ExpiredCheckoutError],
})

/** Fields that both buyer and seller may change while a checkout is open. */
const changes = {
  product_id: Id.nullish(),
  product_price_id: Id.nullish().meta({ deprecated: true, description: 'Deprecated; use product_id.' }),
  amount: chosenAmount,
  seats: onlyOne,
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
    allow_trial: z.boolean().nullish(),
    ...trialOfPurchase,
    allow_discount_codes: z.boolean().nullish(),
    require_billing_address: z.boolean().nullish(),
    customer_ip_address: z.union([z.ipv4(), z.ipv6()]).nullish(),
    metadata: MetadataInput.optional(),
    customer_metadata: MetadataWithIntegersInput.nullish(),
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
  request: z.object({ client_secret: ClientSecret, ...changes, allow_trial: withoutTrial, discount_code: z.string().max(256).nullish() }),
  reply: CheckoutPublic,
  errors: [RequestValidationError, ResourceNotFound, ExpiredCheckoutError, NotOpenCheckout],
})

export const confirmCheckout = operation({
  subject: 'orders.checkout.confirm',
  summary: 'Confirm a checkout with a payment token; the order follows',
  http: {
    method: 'POST',
    path: '/v1/checkouts/client/{client_secret}/confirm',
    status: 200,
    scopes: [],
    callers: ['anonymous'],
    limitedByNetwork: true,
  },
  request: z.object({
    client_secret: ClientSecret,
    ...changes,
    allow_trial: withoutTrial.describe('`false`: order without the trial. A second trial of a product is 422 on this field.'),
    confirmation_token_id: z.string().max(200).nullish(),
    payment_method_type: z
      .enum(['bank_transfer'])
      .nullish()
      .describe(
        '`bank_transfer`: the buyer sends the money; `payment_processor_metadata` of the reply names where to. No token is needed.',
      ),
    expected_total_amount: z
      .int()
      .nullish()
      .describe('Total that the buyer saw. If the total is another one, nothing is ordered: 422 on this field.'),
    discount_code: z.string().max(256).nullish(),
    immediate_access_consent: z
      .boolean()
      .nullish()
      .describe(
        'Whether the buyer agreed that access starts at once, which ends the right of withdrawal (Directive 2011/83/EU, Art. 16(m)).',
      ),
  }),
  reply: CheckoutPublicConfirmed,
  errors: [
    RequestValidationError,
    ResourceNotFound,
    ExpiredCheckoutError,
    NotOpenCheckout,
    AlreadyActiveSubscriptionError,
    PaymentError,
    TooManyRequests,
  ],
})

/**
 * In event payloads `client_secret` is the id of the checkout, which grants no access; the links contain the id too. The secret can be read
 * with the id.
 */
const withoutSecret =
  '`client_secret`, `url` and `success_url` contain the checkout id instead of the secret; `GET /v1/checkouts/{id}` returns the secret.'

export const checkoutCreated = event({
  subject: 'event.checkout.created',
  publisher: 'orders',
  webhookType: 'checkout.created',
  summary: `A checkout was created. ${withoutSecret}`,
  payload: Checkout,
})

export const checkoutUpdated = event({
  subject: 'event.checkout.updated',
  publisher: 'orders',
  webhookType: 'checkout.updated',
  summary: `A checkout was changed, confirmed or succeeded. ${withoutSecret}`,
  payload: Checkout,
})

import { z } from 'zod'
import { CheckoutPublic } from './checkout.ts'
import { DiscountSummary } from './discounts.ts'
import { RequestValidationError, ResourceNotFound, TooManyRequests } from './errors.ts'
import { EmailAddress, Id, oneOrMany, timestamps } from './identifiers.ts'
import { Metadata, MetadataInput } from './metadata.ts'
import { maxAmount, minPriceAmount } from './money.ts'
import { missingProducts, namesProducts, offeredProducts } from './offered-products.ts'
import { operation } from './operation.ts'
import { ListReply, pageRequest, sorting } from './pagination.ts'
import { withoutControls } from './printed-text.ts'
import { CheckoutProduct } from './products.ts'
import { ResourceUnavailable } from './subscriptions.ts'
import { trialOfPurchase } from './trials.ts'

const CheckoutLinkProduct = CheckoutProduct.extend({ metadata: Metadata }).meta({ id: 'CheckoutLinkProduct' })

/** A lasting link to buy: each visit creates a checkout with these settings. */
export const CheckoutLink = z
  .object({
    id: Id,
    ...timestamps,
    metadata: Metadata.describe('Copied to each checkout.'),
    payment_processor: z.literal('stripe'),
    client_secret: z.string(),
    success_url: z.string().nullable(),
    return_url: z.null(),
    label: z.string().nullable(),
    allow_discount_codes: z.boolean(),
    require_billing_address: z.boolean(),
    discount_id: Id.nullable(),
    seats: z.null(),
    trial_interval: z.null(),
    trial_interval_count: z.null(),
    organization_id: Id,
    products: z.array(CheckoutLinkProduct),
    discount: DiscountSummary.nullable(),
    url: z.string(),
  })
  .meta({ id: 'CheckoutLink' })
export type CheckoutLink = z.infer<typeof CheckoutLink>

const write = { scopes: ['checkout_links:write'], callers: ['organization', 'user'] } as const
const read = { scopes: ['checkout_links:read', 'checkout_links:write'], callers: ['organization', 'user'] } as const

const label = withoutControls(z.string().trim().max(200)).nullish().describe('Shown to the seller only.')
const seats = z.literal(1, 'Must be 1: a link sells one of a product.').nullish()
const successUrl = z.string().min(1).max(2083).nullish()

export const createCheckoutLink = operation({
  subject: 'orders.checkout-link.create',
  summary: 'Create a link to buy one of the products that one of the keys names',
  http: { method: 'POST', path: '/v1/checkout-links/', status: 201, ...write },
  request: z
    .object({
      ...offeredProducts,
      metadata: MetadataInput.default({}),
      label,
      allow_discount_codes: z.boolean().default(true),
      require_billing_address: z.boolean().default(false),
      discount_id: Id.nullish(),
      seats,
      ...trialOfPurchase,
      success_url: successUrl,
    })
    .refine(namesProducts, missingProducts),
  reply: CheckoutLink,
  errors: [RequestValidationError],
})

const one = '/v1/checkout-links/{id}'

export const getCheckoutLink = operation({
  subject: 'orders.checkout-link.get',
  summary: 'Get a link to buy',
  http: { method: 'GET', path: one, status: 200, ...read },
  request: z.object({ id: Id }),
  reply: CheckoutLink,
  errors: [ResourceNotFound],
})

export const listCheckoutLinks = operation({
  subject: 'orders.checkout-link.list',
  summary: 'List links to buy',
  http: { method: 'GET', path: '/v1/checkout-links/', status: 200, ...read },
  request: z.object({
    ...pageRequest,
    organization_id: oneOrMany(Id),
    product_id: oneOrMany(Id),
    sorting: sorting(['created_at', 'label', 'success_url', 'allow_discount_codes'], '-created_at'),
  }),
  reply: ListReply(CheckoutLink),
  errors: [],
})

export const updateCheckoutLink = operation({
  subject: 'orders.checkout-link.update',
  summary: 'Change a link to buy; checkouts that it has created stay as they are',
  http: { method: 'PATCH', path: one, status: 200, ...write },
  request: z.object({
    id: Id,
    products: offeredProducts.products,
    metadata: MetadataInput.optional(),
    label,
    allow_discount_codes: z.boolean().nullish(),
    require_billing_address: z.boolean().nullish(),
    discount_id: Id.nullish(),
    seats,
    ...trialOfPurchase,
    success_url: successUrl,
  }),
  reply: CheckoutLink,
  errors: [RequestValidationError, ResourceNotFound],
})

export const deleteCheckoutLink = operation({
  subject: 'orders.checkout-link.delete',
  summary: 'Delete a link to buy; checkouts that it has created stay open',
  http: { method: 'DELETE', path: one, status: 204, ...write },
  request: z.object({ id: Id }),
  reply: z.null(),
  errors: [ResourceNotFound],
})

export const openCheckoutLink = operation({
  subject: 'orders.checkout-link.open',
  summary: 'Create a checkout from a link to buy, at most ten a minute and network',
  http: {
    method: 'POST',
    path: '/v1/checkout-links/client/{client_secret}/checkouts',
    status: 201,
    scopes: [],
    callers: ['anonymous'],
    limitedByNetwork: true,
  },
  request: z.object({
    client_secret: z.string().max(200),
    product_id: Id.nullish().describe('One of the products of the link; default: the first one that is not archived.'),
    amount: z.int().min(minPriceAmount).max(maxAmount).nullish().describe('Amount for a product with a custom price.'),
    discount_code: z.string().max(256).nullish().describe('Ignored if the link allows no codes.'),
    customer_email: EmailAddress.nullish(),
    customer_name: withoutControls(z.string().trim().max(250)).nullish(),
    embed_origin: z.string().max(2083).nullish().describe('Ignored unless `page_settings.embed_origins` of the organization has it.'),
  }),
  reply: CheckoutPublic,
  errors: [RequestValidationError, ResourceNotFound, ResourceUnavailable, TooManyRequests],
})

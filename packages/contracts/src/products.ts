import { z } from 'zod'
import { Benefit, BenefitPublic } from './benefits.ts'
import { NotPermitted, RequestValidationError, ResourceNotFound } from './errors.ts'
import { event } from './event.ts'
import { Id, OrganizationIdInput, oneOrMany, timestamps } from './identifiers.ts'
import { Metadata, MetadataFilter, MetadataInput } from './metadata.ts'
import { operation } from './operation.ts'
import { ListReply, pageRequest, sorting } from './pagination.ts'
import { withoutControls } from './printed-text.ts'
import { newPrices, onePriceMessage, ProductPrice, RecurringInterval } from './product-prices.ts'
import { trialInput, trialOfProduct } from './trials.ts'

const productFields = {
  id: Id,
  ...timestamps,
  name: z.string(),
  description: z.string().nullable(),
  recurring_interval: RecurringInterval.nullable(),
  recurring_interval_count: z.literal(1).nullable(),
  ...trialOfProduct,
  visibility: z.literal('public'),
  meter_interval: z.null(),
  meter_interval_count: z.null(),
  is_recurring: z.boolean(),
  is_archived: z.boolean(),
  organization_id: Id,
}

/** A product as embedded in other resources. */
export const ProductSummary = z.object({ ...productFields, metadata: Metadata }).meta({ id: 'ProductSummary' })

export const Product = z
  .object({
    ...productFields,
    metadata: Metadata,
    prices: z.array(ProductPrice),
    benefits: z.array(Benefit),
    medias: z.array(z.unknown()),
    attached_custom_fields: z.array(z.unknown()),
  })
  .meta({ id: 'Product' })
export type Product = z.infer<typeof Product>

/** A product as shown on a checkout page. */
export const CheckoutProduct = z
  .object({ ...productFields, prices: z.array(ProductPrice), benefits: z.array(BenefitPublic), medias: z.array(z.unknown()) })
  .meta({ id: 'CheckoutProduct' })

const intervalCount = z.literal(1, 'Must be 1: a product renews every month or every year.').nullish()

// Members of newer clients. A product that was to be hidden must not be public without a word.
const notSupported = {
  visibility: z.literal('public', 'Must be public: every product is.').nullish(),
  attached_custom_fields: z.array(z.unknown()).max(0, 'Must be empty: products have no custom fields.').nullish(),
  medias: z.array(z.unknown()).max(0, 'Must be empty: products have no files.').nullish(),
}

const name = withoutControls(z.string().trim().min(3).max(200))
const description = z.string().max(20_000).nullish()

export const createProduct = operation({
  subject: 'orders.product.create',
  summary: 'Create a product with its prices',
  http: { method: 'POST', path: '/v1/products/', status: 201, scopes: ['products:write'], callers: ['organization', 'user'] },
  request: z.object({
    name,
    description,
    recurring_interval: RecurringInterval.nullable().default(null).describe('Null or absent: a one-time product.'),
    recurring_interval_count: intervalCount,
    ...trialInput,
    prices: z
      .array(z.discriminatedUnion('amount_type', newPrices))
      .length(1, onePriceMessage)
      .describe('What the buyer pays: one fixed, custom or free price.'),
    metadata: MetadataInput.default({}),
    ...notSupported,
    organization_id: OrganizationIdInput,
  }),
  reply: Product,
  errors: [RequestValidationError],
})

export const getProduct = operation({
  subject: 'orders.product.get',
  summary: 'Get a product',
  http: {
    method: 'GET',
    path: '/v1/products/{id}',
    status: 200,
    scopes: ['products:read', 'products:write'],
    callers: ['organization', 'user'],
  },
  request: z.object({ id: Id }),
  reply: Product,
  errors: [ResourceNotFound],
})

export const listProducts = operation({
  subject: 'orders.product.list',
  summary: 'List products',
  http: {
    method: 'GET',
    path: '/v1/products/',
    status: 200,
    scopes: ['products:read', 'products:write'],
    callers: ['organization', 'user'],
  },
  request: z.object({
    ...pageRequest,
    id: oneOrMany(Id),
    organization_id: oneOrMany(Id),
    query: z.string().max(200).optional(),
    is_archived: z.boolean().optional(),
    is_recurring: z.boolean().optional(),
    benefit_id: oneOrMany(Id),
    visibility: oneOrMany(z.enum(['draft', 'private', 'public'])).describe('Every product is `public`.'),
    metadata: MetadataFilter,
    sorting: sorting(['created_at', 'name', 'price_amount_type', 'price_amount'], '-created_at'),
  }),
  reply: ListReply(Product),
  errors: [],
})

export const updateProduct = operation({
  subject: 'orders.product.update',
  summary: 'Change or archive a product, or change its price; the recurring interval cannot change',
  http: { method: 'PATCH', path: '/v1/products/{id}', status: 200, scopes: ['products:write'], callers: ['organization', 'user'] },
  request: z.object({
    id: Id,
    name: name.nullish(),
    description,
    recurring_interval: RecurringInterval.nullish(),
    recurring_interval_count: intervalCount,
    ...trialInput,
    is_archived: z.boolean().nullish(),
    prices: z
      .array(z.union([z.object({ id: Id }), ...newPrices]))
      .length(1, onePriceMessage)
      .nullish()
      .describe('Name a price by its id to keep it; prices that are not named are archived.'),
    metadata: MetadataInput.optional(),
    ...notSupported,
  }),
  reply: Product,
  errors: [RequestValidationError, ResourceNotFound],
})

/** Metadata and properties of all benefits of a product, as JSON text: a product is one reply and one event, which have at most 8 MB. */
export const maxProductBenefitsBytes = 512 * 1024

export const updateProductBenefits = operation({
  subject: 'orders.product.update-benefits',
  summary: 'Set the benefits of a product: the complete list, in this order',
  http: { method: 'POST', path: '/v1/products/{id}/benefits', status: 200, scopes: ['products:write'], callers: ['organization', 'user'] },
  request: z.object({
    id: Id,
    benefits: z
      .array(Id)
      .max(100)
      .describe(`Benefits with at most ${maxProductBenefitsBytes / 1024} KiB of metadata and properties in all.`),
  }),
  reply: Product,
  errors: [NotPermitted, ResourceNotFound, RequestValidationError],
})

export const productCreated = event({
  subject: 'event.product.created',
  publisher: 'orders',
  webhookType: 'product.created',
  summary: 'A product was created.',
  payload: Product,
})

export const productUpdated = event({
  subject: 'event.product.updated',
  publisher: 'orders',
  webhookType: 'product.updated',
  summary: 'A product, its prices or its benefits were changed, or it was archived.',
  payload: Product,
})

import { z } from 'zod'
import { Benefit, BenefitPublic } from './benefits.ts'
import { NotPermitted, RequestValidationError, ResourceNotFound } from './errors.ts'
import { event } from './event.ts'
import { Id, OrganizationIdInput, oneOrMany, timestamps } from './identifiers.ts'
import { Metadata, MetadataFilter, MetadataInput } from './metadata.ts'
import { Amount, Currency, CurrencyInput, maxAmount, maxUsdAmount } from './money.ts'
import { operation } from './operation.ts'
import { ListReply, pageRequest, sorting } from './pagination.ts'
import { withoutControls } from './printed-text.ts'
import { TaxBehavior } from './taxes.ts'
import { trialInput, trialOfProduct } from './trials.ts'

export const RecurringInterval = z.enum(['month', 'year']).meta({ id: 'RecurringInterval' })

const priceFields = {
  id: Id,
  ...timestamps,
  is_archived: z.boolean(),
  source: z.literal('catalog'),
  product_id: Id,
  type: z.enum(['one_time', 'recurring']).meta({ deprecated: true, description: 'Deprecated; derived from the product.' }),
  recurring_interval: RecurringInterval.nullable().meta({ deprecated: true, description: 'Deprecated; derived from the product.' }),
}

export const ProductPriceFixed = z
  .object({
    ...priceFields,
    amount_type: z.literal('fixed'),
    price_currency: Currency,
    price_amount: Amount,
    tax_behavior: TaxBehavior,
  })
  .meta({ id: 'ProductPriceFixed' })
/** The buyer chooses the amount within the limits; the preset is the initial value. */
export const ProductPriceCustom = z
  .object({
    ...priceFields,
    amount_type: z.literal('custom'),
    price_currency: Currency,
    minimum_amount: Amount.nullable(),
    maximum_amount: Amount.nullable(),
    preset_amount: Amount.nullable(),
    tax_behavior: TaxBehavior,
  })
  .meta({ id: 'ProductPriceCustom' })
export const ProductPriceFree = z.object({ ...priceFields, amount_type: z.literal('free') }).meta({ id: 'ProductPriceFree' })

/** A price of a product. */
export const ProductPrice = z
  .discriminatedUnion('amount_type', [ProductPriceFixed, ProductPriceCustom, ProductPriceFree])
  .meta({ id: 'ProductPrice' })

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

const priced = { price_currency: CurrencyInput.default('usd'), tax_behavior: TaxBehavior.default('exclusive') }
const priceAmount = z.int().min(50).max(maxAmount)
/** Highest maximum and preset of a custom price in usd, in minor units. */
const maxUsdPreset = 1_000_000

interface NamedAmounts {
  price_currency: string
  [key: string]: unknown
}

/** Limits amounts in usd to what clients know; other currencies may need more digits. */
function limitUsdAmounts(limits: Readonly<Record<string, number>>) {
  return (price: NamedAmounts, ctx: z.RefinementCtx) => {
    for (const [key, limit] of Object.entries(limits)) {
      if (price.price_currency !== 'usd' || Number(price[key] ?? 0) <= limit) continue
      ctx.addIssue({ code: 'custom', path: [key], message: `At most ${limit} in usd.` })
    }
  }
}

const fixedPrice = z
  .object({ amount_type: z.literal('fixed'), price_amount: priceAmount, ...priced })
  .superRefine(limitUsdAmounts({ price_amount: maxUsdAmount }))

const customPrice = z
  .object({
    amount_type: z.literal('custom'),
    minimum_amount: priceAmount.nullish(),
    maximum_amount: priceAmount.nullish(),
    preset_amount: priceAmount.nullish(),
    ...priced,
  })
  .superRefine(limitUsdAmounts({ minimum_amount: maxUsdAmount, maximum_amount: maxUsdPreset, preset_amount: maxUsdPreset }))
  .superRefine(({ minimum_amount, maximum_amount, preset_amount }, ctx) => {
    const minimum = minimum_amount ?? 0
    const maximum = maximum_amount ?? maxAmount
    if (minimum > maximum) ctx.addIssue({ code: 'custom', path: ['maximum_amount'], message: 'Must not be below minimum_amount.' })
    if (preset_amount && (preset_amount < minimum || preset_amount > maximum)) {
      ctx.addIssue({ code: 'custom', path: ['preset_amount'], message: 'Must be between minimum_amount and maximum_amount.' })
    }
  })

const newPrices = [fixedPrice, customPrice, z.object({ amount_type: z.literal('free') })] as const

const onePriceMessage = 'Must contain exactly one fixed, custom or free price.'

const intervalCount = z.literal(1, 'Must be 1: a product renews every month or every year.').nullish()

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
  }),
  reply: Product,
  errors: [RequestValidationError, ResourceNotFound],
})

export const updateProductBenefits = operation({
  subject: 'orders.product.update-benefits',
  summary: 'Set the benefits of a product: the complete list, in this order',
  http: { method: 'POST', path: '/v1/products/{id}/benefits', status: 200, scopes: ['products:write'], callers: ['organization', 'user'] },
  request: z.object({ id: Id, benefits: z.array(Id).max(100) }),
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

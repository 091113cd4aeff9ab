import { z } from 'zod'
import { RequestValidationError, ResourceNotFound } from './errors.ts'
import { Id, OrganizationIdInput, oneOrMany, Timestamp, timestamps } from './identifiers.ts'
import { Metadata, MetadataInput } from './metadata.ts'
import { Amount, Currency, CurrencyInput, maxAmount } from './money.ts'
import { operation } from './operation.ts'
import { ListReply, pageRequest, sorting } from './pagination.ts'
import { ProductSummary } from './products.ts'

const DiscountDuration = z.enum(['once', 'forever', 'repeating'])

/**
 * A fixed discount has amount and currency, a percentage discount basis_points, a repeating one duration_in_months; the other fields are
 * null.
 */
const kinds = {
  duration: DiscountDuration,
  type: z.enum(['fixed', 'percentage']),
  amount: Amount.nullable(),
  amounts: z.record(Currency, Amount).nullable().describe('The amount by currency: one entry for a fixed discount.'),
  currency: Currency.nullable(),
  basis_points: z.int().nullable(),
  duration_in_months: z.int().nullable(),
}

const discountFields = {
  ...kinds,
  id: Id,
  ...timestamps,
  metadata: Metadata,
  name: z.string(),
  code: z.string().nullable(),
  starts_at: Timestamp.nullable(),
  ends_at: Timestamp.nullable(),
  max_redemptions: z.int().nullable(),
  redemptions_count: z.int(),
  organization_id: Id,
}

/** A discount as embedded in an order. */
export const DiscountSummary = z.object(discountFields).meta({ id: 'DiscountSummary' })

/** A discount as shown on a checkout page. */
export const CheckoutDiscount = z
  .object({ ...kinds, id: Id, name: z.string(), code: z.string().nullable() })
  .meta({ id: 'CheckoutDiscount' })

export const Discount = z.object({ ...discountFields, products: z.array(ProductSummary) }).meta({ id: 'Discount' })
export type Discount = z.infer<typeof Discount>

const code = z
  .string()
  .regex(/^[A-Za-z0-9]{3,256}$/, 'Must be 3 to 256 characters of A-Z, a-z and 0-9.')
  .nullish()

/** Maximum of a PostgreSQL integer column. */
const Count = z.int().min(1).max(2_147_483_647)

const common = {
  metadata: MetadataInput.default({}),
  name: z.string().trim().min(1).max(200).meta({ example: 'Summer sale' }),
  code,
  starts_at: Timestamp.nullish(),
  ends_at: Timestamp.nullish(),
  max_redemptions: Count.nullish(),
  products: z.array(Id).max(100).nullish(),
  organization_id: OrganizationIdInput,
}
const fixed = { type: z.literal('fixed'), amount: z.int().min(0).max(maxAmount), currency: CurrencyInput.default('usd') }
const percentage = { type: z.literal('percentage'), basis_points: z.int().min(1).max(10_000) }
const onceOrForever = { duration: z.enum(['once', 'forever']) }
const repeating = { duration: z.literal('repeating'), duration_in_months: Count }

export const createDiscount = operation({
  subject: 'orders.discount.create',
  summary: 'Create a discount',
  http: { method: 'POST', path: '/v1/discounts/', status: 201, scopes: ['discounts:write'], callers: ['organization', 'user'] },
  request: z.discriminatedUnion('type', [
    z.discriminatedUnion('duration', [
      z.object({ ...fixed, ...onceOrForever, ...common }),
      z.object({ ...fixed, ...repeating, ...common }),
    ]),
    z.discriminatedUnion('duration', [
      z.object({ ...percentage, ...onceOrForever, ...common }),
      z.object({ ...percentage, ...repeating, ...common }),
    ]),
  ]),
  reply: Discount,
  errors: [RequestValidationError],
})

export const getDiscount = operation({
  subject: 'orders.discount.get',
  summary: 'Get a discount',
  http: {
    method: 'GET',
    path: '/v1/discounts/{id}',
    status: 200,
    scopes: ['discounts:read', 'discounts:write'],
    callers: ['organization', 'user'],
  },
  request: z.object({ id: Id }),
  reply: Discount,
  errors: [ResourceNotFound],
})

export const listDiscounts = operation({
  subject: 'orders.discount.list',
  summary: 'List discounts',
  http: {
    method: 'GET',
    path: '/v1/discounts/',
    status: 200,
    scopes: ['discounts:read', 'discounts:write'],
    callers: ['organization', 'user'],
  },
  request: z.object({
    ...pageRequest,
    organization_id: oneOrMany(Id),
    query: z.string().max(200).optional(),
    sorting: sorting(['created_at', 'name', 'code', 'redemptions_count'], '-created_at'),
  }),
  reply: ListReply(Discount),
  errors: [],
})

export const updateDiscount = operation({
  subject: 'orders.discount.update',
  summary: 'Change a discount; type and duration cannot change, nor the value after the first redemption',
  http: { method: 'PATCH', path: '/v1/discounts/{id}', status: 200, scopes: ['discounts:write'], callers: ['organization', 'user'] },
  request: z.object({
    id: Id,
    metadata: MetadataInput.optional(),
    name: z.string().trim().min(1).max(200).nullish(),
    code,
    starts_at: Timestamp.nullish(),
    ends_at: Timestamp.nullish(),
    max_redemptions: Count.nullish(),
    duration: DiscountDuration.nullish(),
    duration_in_months: Count.nullish(),
    type: z.enum(['fixed', 'percentage']).nullish(),
    amount: z.int().min(0).max(maxAmount).nullish(),
    currency: CurrencyInput.nullish(),
    basis_points: z.int().min(1).max(10_000).nullish(),
    products: z.array(Id).max(100).nullish(),
  }),
  reply: Discount,
  errors: [RequestValidationError, ResourceNotFound],
})

export const deleteDiscount = operation({
  subject: 'orders.discount.delete',
  summary: 'Delete a discount; orders that used it still show it',
  http: { method: 'DELETE', path: '/v1/discounts/{id}', status: 204, scopes: ['discounts:write'], callers: ['organization', 'user'] },
  request: z.object({ id: Id }),
  reply: z.null(),
  errors: [ResourceNotFound],
})

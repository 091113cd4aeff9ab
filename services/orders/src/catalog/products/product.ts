import { defineEntity, p } from '@mikro-orm/core'
import { RequestValidationError } from '@quittance/contracts/errors'
import type { Metadata } from '@quittance/contracts/metadata'
import { organizationFilter } from '@quittance/runtime/database'
import { aggregateProperties } from '@quittance/runtime/schema'
import { maxAmount, maxUsdAmount, minPriceAmount } from '@quittance/contracts/money'
import type { RequestOf } from '@quittance/contracts/operation'
import type { createProduct } from '@quittance/contracts/products'
import type { TaxBehavior } from '@quittance/contracts/taxes'
import { maxTrialCounts, type TrialInterval } from '@quittance/contracts/trials'
import type { OfferedTrial } from '../../pricing/billing-period.ts'

export const ProductSchema = defineEntity({
  name: 'Product',
  tableName: 'products',
  properties: {
    ...aggregateProperties,
    organizationId: p.uuid(),
    name: p.text(),
    description: p.text().nullable(),
    recurringInterval: p.text().$type<'month' | 'year'>().nullable(),
    trialInterval: p.text().$type<TrialInterval>().nullable(),
    trialIntervalCount: p.integer().nullable(),
    trialWithoutPaymentMethod: p.boolean(),
    isArchived: p.boolean(),
    metadata: p.json<Metadata>(),
    prices: () => p.oneToMany(ProductPriceSchema).mappedBy('product').orderBy({ createdAt: 'asc', id: 'asc' }),
  },
  filters: organizationFilter,
})

interface TrialChange {
  trial_interval?: TrialInterval | null | undefined
  trial_interval_count?: number | null | undefined
  trial_without_payment_method?: boolean | null | undefined
}

interface ProductChange extends TrialChange {
  name?: string | null | undefined
  description?: string | null | undefined
  recurring_interval?: 'month' | 'year' | null | undefined
  is_archived?: boolean | null | undefined
  metadata?: Metadata | undefined
}

export class Product extends ProductSchema.class {
  /** Applies the keys that are present; replaces metadata as a whole. The recurring interval cannot change. */
  change(change: ProductChange, now: Date): void {
    if (change.recurring_interval && change.recurring_interval !== this.recurringInterval) {
      throw RequestValidationError.field(['recurring_interval'], 'The recurring interval of a product cannot be changed.')
    }
    // Also if only its prices change, so that one of two concurrent changes is retried.
    this.modifiedAt = now
    if (change.name) this.name = change.name
    if (change.description !== undefined) this.description = change.description
    if (change.is_archived !== undefined && change.is_archived !== null) this.isArchived = change.is_archived
    if (change.metadata) this.metadata = change.metadata
    this.changeTrial(change)
  }

  /** Applies the keys that are present. Throws `RequestValidationError` for a trial that cannot be offered. */
  changeTrial(change: TrialChange): void {
    if (change.trial_interval !== undefined) this.trialInterval = change.trial_interval
    if (change.trial_interval_count !== undefined) this.trialIntervalCount = change.trial_interval_count
    this.trialWithoutPaymentMethod = change.trial_without_payment_method ?? this.trialWithoutPaymentMethod
    assertTrial(this)
  }

  /** Returns the trial of new subscriptions; null without one. */
  trial(): OfferedTrial | null {
    const { trialInterval: interval, trialIntervalCount: count, trialWithoutPaymentMethod } = this
    return interval && count ? { interval, count, needsMethod: !trialWithoutPaymentMethod } : null
  }

  /** Returns the current price. Needs `prices` loaded. */
  currentPrice(): ProductPrice {
    const price = this.prices.getItems().find((candidate) => !candidate.isArchived)
    if (!price) throw new Error(`Product ${this.id} has no price`)
    return price as ProductPrice
  }
}
ProductSchema.setClass(Product)

type TrialTerms = Pick<Product, 'trialInterval' | 'trialIntervalCount' | 'recurringInterval'>

function assertTrial({ trialInterval: interval, trialIntervalCount: count, ...product }: TrialTerms): void {
  if (!interval !== !count)
    throw RequestValidationError.field([interval ? 'trial_interval_count' : 'trial_interval'], 'Field required', 'missing')
  if (!interval || !count) return
  if (!product.recurringInterval) throw RequestValidationError.field(['trial_interval'], 'Only a recurring product can have a trial.')
  if (count > maxTrialCounts[interval])
    throw RequestValidationError.field(['trial_interval_count'], `At most ${maxTrialCounts[interval]} of interval ${interval}.`)
}

export const ProductPriceSchema = defineEntity({
  name: 'ProductPrice',
  tableName: 'product_prices',
  properties: {
    ...aggregateProperties,
    organizationId: p.uuid(),
    product: () => p.manyToOne(ProductSchema),
    amountType: p.text().$type<'fixed' | 'custom' | 'free'>(),
    priceAmount: p.bigint('bigint').nullable(),
    priceCurrency: p.text().nullable(),
    minimumAmount: p.bigint('bigint').nullable(),
    maximumAmount: p.bigint('bigint').nullable(),
    presetAmount: p.bigint('bigint').nullable(),
    taxBehavior: p.text().$type<TaxBehavior>(),
    isArchived: p.boolean(),
  },
  filters: organizationFilter,
})
/** Amount suggested for a custom price without a preset, in minor units. */
const defaultAmount = 1000n

export class ProductPrice extends ProductPriceSchema.class {
  /**
   * Returns the advertised amount for the buyer. `chosen` only counts for a custom price. Throws `RequestValidationError` outside its
   * limits.
   */
  amountFor(chosen: bigint | null): bigint {
    if (this.amountType !== 'custom') return this.priceAmount ?? 0n
    const min = this.minimumAmount ?? BigInt(minPriceAmount)
    const max = this.maximumAmount ?? BigInt(this.priceCurrency === 'usd' ? maxUsdAmount : maxAmount)
    if (chosen === null) return this.presetAmount ?? (defaultAmount < min ? min : defaultAmount > max ? max : defaultAmount)
    if (chosen < min) throw RequestValidationError.field(['amount'], `At least ${min}.`)
    if (chosen > max) throw RequestValidationError.field(['amount'], `At most ${max}.`)
    return chosen
  }
}
ProductPriceSchema.setClass(ProductPrice)

/** Terms of a product's price. */
export type PriceTerms = NonNullable<RequestOf<typeof createProduct>['prices'][number]>

/** Returns the fields of a new price with these terms. */
export function priceTerms(terms: PriceTerms) {
  const big = (amount: number | null | undefined) => (typeof amount === 'number' ? BigInt(amount) : null)
  const custom = terms.amount_type === 'custom' ? terms : null
  return {
    amountType: terms.amount_type,
    priceAmount: terms.amount_type === 'fixed' ? BigInt(terms.price_amount) : null,
    priceCurrency: terms.amount_type === 'free' ? null : terms.price_currency,
    minimumAmount: big(custom?.minimum_amount),
    maximumAmount: big(custom?.maximum_amount),
    presetAmount: big(custom?.preset_amount),
    taxBehavior: terms.amount_type === 'free' ? ('exclusive' as const) : terms.tax_behavior,
    isArchived: false,
  }
}

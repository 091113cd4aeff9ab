import { defineEntity, p } from '@mikro-orm/core'
import { RequestValidationError } from '@quittance/contracts/errors'
import { largestAmount, largestUsdAmount } from '@quittance/contracts/money'
import type { RequestOf } from '@quittance/contracts/operation'
import type { createProduct } from '@quittance/contracts/products'
import type { TaxBehavior } from '@quittance/contracts/taxes'
import { organizationFilter } from '@quittance/runtime/database'
import { aggregate } from '@quittance/runtime/entity'
import { ProductSchema } from './product.ts'

export const ProductPriceSchema = defineEntity({
  name: 'ProductPrice',
  tableName: 'product_prices',
  properties: {
    ...aggregate,
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
/** What a buyer is asked first for a custom price that says nothing about it, in minor units. */
const usualAmount = 1000n

export class ProductPrice extends ProductPriceSchema.class {
  /** What it costs the buyer, as advertised. `chosen` counts only for a custom price. Throws `RequestValidationError` out of its limits. */
  amountFor(chosen: bigint | null): bigint {
    if (this.amountType !== 'custom') return this.priceAmount ?? 0n
    const least = this.minimumAmount ?? 0n
    const most = this.maximumAmount ?? BigInt(this.priceCurrency === 'usd' ? largestUsdAmount : largestAmount)
    if (chosen === null) return this.presetAmount ?? (usualAmount < least ? least : usualAmount > most ? most : usualAmount)
    if (chosen < least) throw RequestValidationError.field(['amount'], `At least ${least}.`)
    if (chosen > most) throw RequestValidationError.field(['amount'], `At most ${most}.`)
    return chosen
  }
}
ProductPriceSchema.setClass(ProductPrice)

/** What is asked for a product. */
export type PriceTerms = NonNullable<RequestOf<typeof createProduct>['prices'][number]>

/** A new price of these terms. */
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

import { defineEntity, p } from '@mikro-orm/core'
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
    amountType: p.text().$type<'fixed' | 'free'>(),
    priceAmount: p.bigint('bigint').nullable(),
    priceCurrency: p.text().nullable(),
    isArchived: p.boolean(),
  },
  filters: organizationFilter,
})
export class ProductPrice extends ProductPriceSchema.class {}
ProductPriceSchema.setClass(ProductPrice)

/** What is asked for a product. */
export type PriceTerms = { amount_type: 'fixed'; price_amount: number; price_currency: string } | { amount_type: 'free' }

/** A new price of these terms. */
export function priceTerms(terms: PriceTerms) {
  return {
    amountType: terms.amount_type,
    priceAmount: terms.amount_type === 'fixed' ? BigInt(terms.price_amount) : null,
    priceCurrency: terms.amount_type === 'fixed' ? terms.price_currency : null,
    isArchived: false,
  }
}

import { defineEntity, p } from '@mikro-orm/core'
import { RequestValidationError } from '@quittance/contracts/errors'
import type { Metadata } from '@quittance/contracts/metadata'
import { organizationFilter } from '@quittance/runtime/database'
import { aggregate } from '@quittance/runtime/entity'
import { ProductPriceSchema, type ProductPrice } from './product-price.ts'

export const ProductSchema = defineEntity({
  name: 'Product',
  tableName: 'products',
  properties: {
    ...aggregate,
    organizationId: p.uuid(),
    name: p.text(),
    description: p.text().nullable(),
    recurringInterval: p.text().$type<'month' | 'year'>().nullable(),
    isArchived: p.boolean(),
    metadata: p.json<Metadata>(),
    prices: () => p.oneToMany(ProductPriceSchema).mappedBy('product').orderBy({ createdAt: 'asc', id: 'asc' }),
  },
  filters: organizationFilter,
})

interface ProductChange {
  name?: string | null | undefined
  description?: string | null | undefined
  recurring_interval?: 'month' | 'year' | null | undefined
  is_archived?: boolean | null | undefined
  metadata?: Metadata | undefined
}

export class Product extends ProductSchema.class {
  /** Applies the keys that are present; metadata is replaced as a whole. How often it is paid for stays. */
  change(change: ProductChange, now: Date): void {
    if (change.recurring_interval && change.recurring_interval !== this.recurringInterval) {
      throw RequestValidationError.field(['recurring_interval'], 'The recurring interval of a product cannot be changed.')
    }
    // Also when only its prices change: of two changes at once the other begins again.
    this.modifiedAt = now
    if (change.name) this.name = change.name
    if (change.description !== undefined) this.description = change.description
    if (change.is_archived !== undefined && change.is_archived !== null) this.isArchived = change.is_archived
    if (change.metadata) this.metadata = change.metadata
  }

  /** What it costs now. Needs `prices` loaded. */
  currentPrice(): ProductPrice {
    const price = this.prices.getItems().find((candidate) => !candidate.isArchived)
    if (!price) throw new Error(`Product ${this.id} has no price`)
    return price as ProductPrice
  }
}
ProductSchema.setClass(Product)

import { RequestValidationError } from '@quittance/contracts/errors'
import type { Transaction } from '@quittance/runtime/handler'
import type { Product } from './product.ts'
import { ProductPrice, priceTerms, type PriceTerms } from './product-price.ts'

/** A price the product has, which stays, or a new one in full. */
type WantedPrice = { id: string } | PriceTerms

/** Prices that are not named are archived: nobody buys by them any more, and what was sold keeps them. Needs `prices` loaded. */
export async function replacePrices(
  { em }: Transaction,
  { product, wanted }: { product: Product; wanted: readonly WantedPrice[] },
): Promise<void> {
  const current = product.prices.getItems().filter(({ isArchived }) => !isArchived)
  const kept = wanted.map((price) => ('id' in price ? price.id : null))
  const unknown = kept.findIndex((id) => id !== null && !current.some((price) => price.id === id))
  if (unknown >= 0) throw RequestValidationError.field(['prices', unknown], 'Price does not exist.')
  for (const price of current) if (!kept.includes(price.id)) price.isArchived = true
  // First, as the table holds one current price at any time.
  await em.flush()
  const added = wanted.flatMap((price) => ('id' in price ? [] : [price]))
  for (const terms of added) em.create(ProductPrice, { ...priceTerms(terms), product, organizationId: product.organizationId })
}

import {
  createProduct as createProductContract,
  productCreated,
  productUpdated,
  updateProduct as updateProductContract,
} from '@quittance/contracts/products'
import { resolveOrganization } from '@quittance/runtime/resolve-organization'
import { command, type Transaction } from '@quittance/runtime/handler'
import { Product, ProductPrice, priceTerms, type PriceTerms } from './product.ts'
import { productView } from './product-view.ts'
import { RequestValidationError } from '@quittance/contracts/errors'

export const createProduct = command(createProductContract, async (request, { em, caller, read, publish }) => {
  const organizationId = resolveOrganization(caller, request.organization_id)
  const product = em.create(Product, {
    organizationId,
    name: request.name,
    description: request.description ?? null,
    recurringInterval: request.recurring_interval,
    trialInterval: null,
    trialIntervalCount: null,
    trialWithoutPaymentMethod: false,
    isArchived: false,
    metadata: request.metadata,
  })
  product.changeTrial(request)
  for (const terms of request.prices) em.create(ProductPrice, { ...priceTerms(terms), product, organizationId })
  await em.flush()
  const view = await read.one(productView, { where: 'pr.id = :id', values: { id: product.id } })
  publish({ event: productCreated, aggregateId: product.id, organizationId, payload: view })
  return view
})

export const updateProduct = command(updateProductContract, async ({ id, prices, ...change }, context) => {
  const { em, now, read, publish } = context
  const product = await em.findOneOrFail(Product, id, { populate: ['prices'] })
  product.change(change, now)
  if (prices) await replacePrices(context, { product, wanted: prices })
  const view = await read.one(productView, { where: 'pr.id = :id', values: { id } })
  publish({ event: productUpdated, aggregateId: id, organizationId: product.organizationId, payload: view })
  return view
})

/** An existing price of the product, which stays, or a new one in full. */
type WantedPrice = { id: string } | PriceTerms

/** Archives the prices that are not named: they can no longer be bought, and existing orders keep them. Needs `prices` loaded. */
export async function replacePrices(
  { em }: Transaction,
  { product, wanted }: { product: Product; wanted: readonly WantedPrice[] },
): Promise<void> {
  const current = product.prices.getItems().filter(({ isArchived }) => !isArchived)
  const kept = wanted.map((price) => ('id' in price ? price.id : null))
  const unknown = kept.findIndex((id) => id !== null && !current.some((price) => price.id === id))
  if (unknown >= 0) throw RequestValidationError.field(['prices', unknown], 'Price does not exist.')
  for (const price of current) if (!kept.includes(price.id)) price.isArchived = true
  // First, because the table allows one current price at any time.
  await em.flush()
  const added = wanted.flatMap((price) => ('id' in price ? [] : [price]))
  for (const terms of added) em.create(ProductPrice, { ...priceTerms(terms), product, organizationId: product.organizationId })
}

import { createProduct as contract, productCreated } from '@quittance/contracts/products'
import { chosenOrganization } from '@quittance/runtime/chosen-organization'
import { command } from '@quittance/runtime/handler'
import { Product } from './product.ts'
import { ProductPrice, priceTerms } from './product-price.ts'
import { productView } from './product-view.ts'

export const createProduct = command(contract, async (request, { em, caller, read, publish }) => {
  const organizationId = chosenOrganization(caller, request.organization_id)
  const product = em.create(Product, {
    organizationId,
    name: request.name,
    description: request.description ?? null,
    recurringInterval: request.recurring_interval,
    isArchived: false,
    metadata: request.metadata,
  })
  for (const terms of request.prices) em.create(ProductPrice, { ...priceTerms(terms), product, organizationId })
  await em.flush()
  const view = await read.one(productView, { where: 'pr.id = :id', values: { id: product.id } })
  publish({ event: productCreated, aggregateId: product.id, organizationId, payload: view })
  return view
})

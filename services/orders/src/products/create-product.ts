import { createProduct as contract, productCreated } from '@quittance/contracts/products'
import { chosenOrganization } from '@quittance/runtime/chosen-organization'
import { command } from '@quittance/runtime/handler'
import { Product } from './product.ts'
import { ProductPrice } from './product-price.ts'
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
  for (const price of request.prices) {
    em.create(ProductPrice, {
      organizationId,
      product,
      amountType: price.amount_type,
      priceAmount: price.amount_type === 'fixed' ? BigInt(price.price_amount) : null,
      priceCurrency: price.amount_type === 'fixed' ? price.price_currency : null,
      isArchived: false,
    })
  }
  await em.flush()
  const view = await read.one(productView, { where: 'pr.id = :id', values: { id: product.id } })
  publish({ event: productCreated, aggregateId: product.id, organizationId, payload: view })
  return view
})

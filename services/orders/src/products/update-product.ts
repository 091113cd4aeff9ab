import { productUpdated, updateProduct as contract } from '@quittance/contracts/products'
import { command } from '@quittance/runtime/handler'
import { Product } from './product.ts'
import { productView } from './product-view.ts'

export const updateProduct = command(contract, async ({ id, ...change }, { em, read, publish }) => {
  const product = await em.findOneOrFail(Product, id)
  product.change(change)
  const view = await read.one(productView, { where: 'pr.id = :id', values: { id } })
  publish({ event: productUpdated, aggregateId: id, organizationId: product.organizationId, payload: view })
  return view
})

import { productUpdated, updateProduct as contract } from '@quittance/contracts/products'
import { command } from '@quittance/runtime/handler'
import { Product } from './product.ts'
import { productView } from './product-view.ts'
import { replacePrices } from './replace-prices.ts'

export const updateProduct = command(contract, async ({ id, prices, ...change }, context) => {
  const { em, now, read, publish } = context
  const product = await em.findOneOrFail(Product, id, { populate: ['prices'] })
  product.change(change, now)
  if (prices) await replacePrices(context, { product, wanted: prices })
  const view = await read.one(productView, { where: 'pr.id = :id', values: { id } })
  publish({ event: productUpdated, aggregateId: id, organizationId: product.organizationId, payload: view })
  return view
})

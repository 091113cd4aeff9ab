import { RequestValidationError } from '@quittance/contracts/errors'
import type { NamedProducts } from '@quittance/contracts/offered-products'
import type { Transaction } from '@quittance/runtime/handler'
import { Product, ProductPrice } from '../catalog/products/product.ts'

/** Products that a seller wants to offer. */
interface Offer {
  /** Field of the request that names them. */
  field: string
  ids: readonly string[]
  /** Default: the organization of the first product. */
  organizationId?: string
}

/** The first of the keys that name products decides; the contract requires one. */
export async function nameProducts(
  { products, product_id, product_price_id }: NamedProducts,
  { em }: Pick<Transaction, 'em'>,
): Promise<Offer> {
  if (products) return { field: 'products', ids: products }
  if (product_id) return { field: 'product_id', ids: [product_id] }
  const price = await em.findOne(ProductPrice, { id: product_price_id ?? '', isArchived: false })
  if (!price) throw RequestValidationError.field(['product_price_id'], 'Price does not exist or is archived.')
  return { field: 'product_price_id', ids: [price.product.id] }
}

/** Returns the products in their order, with prices. All must be available and belong to one organization; throws `RequestValidationError`. */
export async function findOfferedProducts(
  { em }: Pick<Transaction, 'em'>,
  { field, ids, organizationId }: Offer,
): Promise<[Product, ...Product[]]> {
  const found = await em.find(Product, { id: { $in: [...ids] }, isArchived: false }, { populate: ['prices'] })
  const byId = new Map(found.map((product) => [product.id, product]))
  const missing = ids.findIndex((id) => !byId.has(id))
  const loc = field === 'products' ? [field, missing] : [field]
  if (missing >= 0) throw RequestValidationError.field(loc, 'Product does not exist or is archived.')
  const [first, ...others] = ids.map((id) => byId.get(id) as Product)
  if (!first) throw RequestValidationError.field([field], 'Field required')
  if ([first, ...others].some((product) => product.organizationId !== (organizationId ?? first.organizationId))) {
    throw RequestValidationError.field([field], 'Products do not belong to the same organization.')
  }
  return [first, ...others]
}

import { NotPermitted, RequestValidationError } from '@quittance/contracts/errors'
import { productUpdated, updateProductBenefits as contract } from '@quittance/contracts/products'
import { command, type Transaction } from '@quittance/runtime/handler'
import { Benefit } from '../benefits/benefit.ts'
import type { DeletedBenefit } from '../benefits/benefit-commands.ts'
import { assertProductSize, findLargestProduct, lockBenefitChanges } from '../benefits/product-sizes.ts'
import { syncProductBenefitsJobName } from '../../job-names.ts'
import { Product } from './product.ts'
import { productView } from './product-view.ts'

const current = `
  select pb.benefit_id as id from product_benefits pb join products pr on pr.id = pb.product_id
  where pr.id = :product_id and pr.organization_id = any (:scope_organizations)`
const removeAll = `
  delete from product_benefits pb using products pr
  where pr.id = :product_id and pr.organization_id = any (:scope_organizations) and pb.product_id = pr.id`
const putInOrder = `
  insert into product_benefits (product_id, benefit_id, position)
  select pr.id, given.id, given.position from products pr, unnest(:benefit_ids::uuid[]) with ordinality as given (id, position)
  where pr.id = :product_id and pr.organization_id = any (:scope_organizations)`

/**
 * Sets the benefits of a product. A trigger records that they changed, and a job changes the grants of its subscriptions; those of one-time orders
 * stay.
 */
export const updateProductBenefits = command(contract, async ({ id, benefits }, context) => {
  const { em, now, read, sql, publish, wake } = context
  const product = await em.findOneOrFail(Product, id)
  const { organizationId } = product
  const wanted = [...new Set(benefits)]
  await lockBenefitChanges(sql, organizationId)
  // Written first, so that the second of two concurrent changes is retried.
  product.modifiedAt = now
  await em.flush()
  await assertBenefitsChangeable(context, { product, wanted })
  const before = await findLargestProduct(sql, { product_id: id })
  await sql('product-benefits.remove-all', removeAll, { product_id: id })
  await sql('product-benefits.put-in-order', putInOrder, { product_id: id, benefit_ids: wanted })
  assertProductSize(before, await findLargestProduct(sql, { product_id: id }), 'benefits')
  const view = await read.one(productView, { where: 'pr.id = :id', values: { id } })
  publish({ event: productUpdated, aggregateId: id, organizationId, payload: view })
  wake(syncProductBenefitsJobName)
  return view
})

/** Throws unless all benefits belong to the organization and those that are not selectable are neither added nor removed. */
async function assertBenefitsChangeable(
  { em, sql }: Transaction,
  { product, wanted }: { product: Product; wanted: readonly string[] },
): Promise<void> {
  const before = (await sql<{ id: string }>('product-benefits.current', current, { product_id: product.id })).map(({ id }) => id)
  const { organizationId } = product
  const involved = await em.find(Benefit, { id: { $in: [...new Set([...before, ...wanted])] }, organizationId, deletedAt: null })
  const missing = wanted.findIndex((id) => !involved.some((benefit) => benefit.id === id))
  if (missing >= 0) throw RequestValidationError.field(['benefits', missing], 'Benefit does not exist.')
  const fixed = involved.find(({ id, selectable }) => !selectable && before.includes(id) !== wanted.includes(id))
  if (fixed) throw new NotPermitted(`Benefit ${fixed.id} cannot be added or removed.`)
}

/** Publishes the products that lost a deleted benefit. */
export async function publishProductsOfBenefit({ read, publish }: Transaction, { benefit, productIds }: DeletedBenefit): Promise<void> {
  const { organizationId } = benefit
  for (const id of productIds) {
    const view = await read.one(productView, { where: 'pr.id = :id', values: { id } })
    publish({ event: productUpdated, aggregateId: id, organizationId, payload: view })
  }
}

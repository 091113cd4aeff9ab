import { benefitUpdated, deleteBenefit as contract } from '@quittance/contracts/benefits'
import { productUpdated } from '@quittance/contracts/products'
import { command } from '@quittance/runtime/handler'
import { sweepDeletedBenefits } from './sweep-deleted-benefits.ts'
import { productView } from '../products/product-view.ts'
import { Benefit } from './benefit.ts'
import { benefitAsDeletedView } from './benefit-view.ts'

const leaveProducts = `delete from product_benefits where benefit_id = :id returning product_id`

/** Nobody sees it from here on; that its grants end is told by a job, as there may be many. */
export const deleteBenefit = command(contract, async ({ id }, { em, now, read, rows, publish, wake }) => {
  const benefit = await em.findOneOrFail(Benefit, { id, deletedAt: null })
  const { organizationId } = benefit
  benefit.delete(now)
  const products = await rows<{ product_id: string }>('benefit.leave-products', leaveProducts, { id })
  const view = await read.one(benefitAsDeletedView, { where: 'b.id = :id', values: { id } })
  publish({ event: benefitUpdated, aggregateId: id, organizationId, payload: view })
  for (const { product_id } of products) {
    const product = await read.one(productView, { where: 'pr.id = :id', values: { id: product_id } })
    publish({ event: productUpdated, aggregateId: product_id, organizationId, payload: product })
  }
  wake(sweepDeletedBenefits.name)
  return null
})

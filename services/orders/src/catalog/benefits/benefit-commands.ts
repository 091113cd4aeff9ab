import {
  benefitCreated,
  createBenefit as createBenefitContract,
  type BenefitType,
  benefitUpdated,
  updateBenefit as updateBenefitContract,
  deleteBenefit as deleteBenefitContract,
} from '@quittance/contracts/benefits'
import { resolveOrganization } from '@quittance/runtime/resolve-organization'
import { command } from '@quittance/runtime/handler'
import { Benefit } from './benefit.ts'
import { benefitView, benefitAsDeletedView } from './benefit-view.ts'
import { assertProductSize, findLargestProduct, lockBenefitChanges } from './product-sizes.ts'
import { RequestValidationError } from '@quittance/contracts/errors'
import { reactionPoint } from '@quittance/runtime/reactions'
import { sweepDeletedBenefitsJobName } from '../../job-names.ts'

export const createBenefit = command(createBenefitContract, async (request, { em, caller, read, publish }) => {
  assertSupportedBenefitType(request.type)
  const organizationId = resolveOrganization(caller, request.organization_id)
  const benefit = em.create(Benefit, {
    organizationId,
    type: request.type,
    description: request.description,
    selectable: true,
    deletable: true,
    properties: request.properties,
    metadata: request.metadata,
    deletedAt: null,
  })
  await em.flush()
  const view = await read.one(benefitView, { where: 'b.id = :id', values: { id: benefit.id } })
  publish({ event: benefitCreated, aggregateId: benefit.id, organizationId, payload: view })
  return view
})

/** Requirement of each type that cannot be granted. */
const missing: Partial<Record<BenefitType, string>> = {
  discord: 'a connection to Discord',
  github_repository: 'a connection to GitHub',
  downloadables: 'file storage',
  meter_credit: 'meters',
}

/** Rejects a benefit that cannot be granted. */
export function assertSupportedBenefitType(type: BenefitType): void {
  const needed = missing[type]
  if (needed)
    throw RequestValidationError.field(['type'], `Benefits of type ${type} need ${needed}, which this installation does not have.`)
}

export const updateBenefit = command(updateBenefitContract, async ({ id, ...change }, { em, read, sql, publish }) => {
  const benefit = await em.findOneOrFail(Benefit, { id, deletedAt: null })
  await lockBenefitChanges(sql, benefit.organizationId)
  const before = await findLargestProduct(sql, { benefit_id: id })
  benefit.change(change)
  await em.flush()
  assertProductSize(before, await findLargestProduct(sql, { benefit_id: id }), change.metadata ? 'metadata' : 'properties')
  const view = await read.one(benefitView, { where: 'b.id = :id', values: { id } })
  publish({ event: benefitUpdated, aggregateId: id, organizationId: benefit.organizationId, payload: view })
  return view
})

/** A benefit that was deleted, and the products that no longer have it. */
export interface DeletedBenefit {
  benefit: Benefit
  productIds: readonly string[]
}

export const afterBenefitDeleted = reactionPoint<DeletedBenefit>('orders.benefit.deleted')

const removeFromProducts = `
  delete from product_benefits pb using benefits b
  where b.id = :id and b.organization_id = any (:scope_organizations) and pb.benefit_id = b.id returning pb.product_id`

/** Hides the benefit from readers at once. A job revokes its grants and publishes their events, because there may be many. */
export const deleteBenefit = command(deleteBenefitContract, async ({ id }, { em, now, read, sql, publish, react, wake }) => {
  const benefit = await em.findOneOrFail(Benefit, { id, deletedAt: null })
  const { organizationId } = benefit
  await lockBenefitChanges(sql, organizationId)
  benefit.delete(now)
  const products = await sql<{ product_id: string }>('benefit.remove-from-products', removeFromProducts, { id })
  const view = await read.one(benefitAsDeletedView, { where: 'b.id = :id', values: { id } })
  publish({ event: benefitUpdated, aggregateId: id, organizationId, payload: view })
  await react(afterBenefitDeleted, { benefit, productIds: products.map(({ product_id }) => product_id) })
  wake(sweepDeletedBenefitsJobName)
  return null
})

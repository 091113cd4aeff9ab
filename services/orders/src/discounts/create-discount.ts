import { createDiscount as contract } from '@quittance/contracts/discounts'
import { RequestValidationError } from '@quittance/contracts/errors'
import { chosenOrganization } from '@quittance/runtime/chosen-organization'
import { command } from '@quittance/runtime/handler'
import { Product } from '../products/product.ts'
import { Discount } from './discount.ts'
import { discountView } from './discount-view.ts'

export const createDiscount = command(contract, async (request, { em, caller, read, rows }) => {
  const organizationId = chosenOrganization(caller, request.organization_id)
  const startsAt = request.starts_at ? new Date(request.starts_at) : null
  const endsAt = request.ends_at ? new Date(request.ends_at) : null
  if (startsAt && endsAt && startsAt >= endsAt) throw RequestValidationError.field(['ends_at'], 'Must be after starts_at.')
  const productIds = [...new Set(request.products ?? [])]
  const known = await em.count(Product, { id: { $in: productIds }, organizationId })
  if (known !== productIds.length) throw RequestValidationError.field(['products'], 'Product not found.')
  if (request.code) {
    const taken = await rows(
      'discount.code-taken',
      `select 1 from discounts where organization_id = :organization_id and lower(code) = lower(:code)`,
      {
        organization_id: organizationId,
        code: request.code,
      },
    )
    if (taken.length > 0) throw RequestValidationError.field(['code'], 'A discount with this code already exists.')
  }
  const discount = em.create(Discount, {
    organizationId,
    name: request.name,
    type: request.type,
    duration: request.duration,
    durationInMonths: request.duration === 'repeating' ? request.duration_in_months : null,
    amount: request.type === 'fixed' ? BigInt(request.amount) : null,
    currency: request.type === 'fixed' ? request.currency : null,
    basisPoints: request.type === 'percentage' ? request.basis_points : null,
    code: request.code ?? null,
    startsAt,
    endsAt,
    maxRedemptions: request.max_redemptions ?? null,
    redemptionsCount: 0,
    productIds,
    metadata: request.metadata,
  })
  await em.flush()
  return read.one(discountView, { where: 'd.id = :id', values: { id: discount.id } })
})

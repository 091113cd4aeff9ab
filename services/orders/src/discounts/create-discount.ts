import { createDiscount as contract } from '@quittance/contracts/discounts'
import { chosenOrganization } from '@quittance/runtime/chosen-organization'
import { command } from '@quittance/runtime/handler'
import { Discount } from './discount.ts'
import { discountView } from './discount-view.ts'
import { refuseImpossibleDiscount } from './refuse-discount.ts'

export const createDiscount = command(contract, async (request, { em, caller, read, rows }) => {
  const organizationId = chosenOrganization(caller, request.organization_id)
  const startsAt = request.starts_at ? new Date(request.starts_at) : null
  const endsAt = request.ends_at ? new Date(request.ends_at) : null
  const productIds = [...new Set(request.products ?? [])]
  await refuseImpossibleDiscount({ em, rows }, { id: null, organizationId, code: request.code, productIds, startsAt, endsAt })
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
    deletedAt: null,
  })
  await em.flush()
  return read.one(discountView, { where: 'd.id = :id', values: { id: discount.id } })
})

import {
  createDiscount as createDiscountContract,
  updateDiscount as updateDiscountContract,
  deleteDiscount as deleteDiscountContract,
} from '@quittance/contracts/discounts'
import { resolveOrganization } from '@quittance/runtime/resolve-organization'
import { command, type Transaction } from '@quittance/runtime/handler'
import { Discount } from './discount.ts'
import { discountView } from './discount-view.ts'
import { RequestValidationError } from '@quittance/contracts/errors'
import { Product } from '../products/product.ts'

export const createDiscount = command(createDiscountContract, async (request, context) => {
  const { em, caller, read } = context
  const organizationId = resolveOrganization(caller, request.organization_id)
  const startsAt = request.starts_at ? new Date(request.starts_at) : null
  const endsAt = request.ends_at ? new Date(request.ends_at) : null
  const productIds = [...new Set(request.products ?? [])]
  await assertValidDiscount(context, { id: null, organizationId, code: request.code, productIds, startsAt, endsAt })
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

/** Fields of a discount that are checked against other rows of its organization. */
interface DiscountReferences {
  /** The discount itself, when it is changed. */
  id: string | null
  organizationId: string
  code: string | null | undefined
  productIds: readonly string[]
  startsAt: Date | null
  endsAt: Date | null
}

const codeTaken = `
  select 1 from discounts
  where organization_id = :organization_id and organization_id = any (:scope_organizations) and lower(code) = lower(:code) and deleted_at is null
    and id is distinct from :id::uuid`

/** Throws `RequestValidationError` naming the field. */
export async function assertValidDiscount(
  { em, sql, lockNames }: Pick<Transaction, 'em' | 'sql' | 'lockNames'>,
  { id, organizationId, code, productIds, startsAt, endsAt }: DiscountReferences,
): Promise<void> {
  if (startsAt && endsAt && startsAt >= endsAt) throw RequestValidationError.field(['ends_at'], 'Must be after starts_at.')
  const known = await em.count(Product, { id: { $in: [...productIds] }, organizationId })
  if (known !== productIds.length) throw RequestValidationError.field(['products'], 'Product not found.')
  if (!code) return
  await lockNames([`discount code ${organizationId} ${code.toLowerCase()}`])
  const taken = await sql('discount.code-taken', codeTaken, { organization_id: organizationId, code, id })
  if (taken.length > 0) throw RequestValidationError.field(['code'], 'A discount with this code already exists.')
}

export const updateDiscount = command(updateDiscountContract, async ({ id, ...change }, context) => {
  const { em, read } = context
  const discount = await em.findOneOrFail(Discount, { id, deletedAt: null })
  // Before the change: a query flushes changes, and the table would reject them without naming the field.
  await assertValidDiscount(context, {
    id,
    organizationId: discount.organizationId,
    code: change.code,
    productIds: [...new Set(change.products ?? [])],
    startsAt: resolveDate(change.starts_at, discount.startsAt),
    endsAt: resolveDate(change.ends_at, discount.endsAt),
  })
  discount.change(change)
  return read.one(discountView, { where: 'd.id = :id', values: { id } })
})

function resolveDate(changed: string | null | undefined, current: Date | null | undefined): Date | null {
  if (changed === undefined) return current ?? null
  return changed ? new Date(changed) : null
}

export const deleteDiscount = command(deleteDiscountContract, async ({ id }, { em, now }) => {
  const discount = await em.findOneOrFail(Discount, { id, deletedAt: null })
  discount.deletedAt = now
  return null
})

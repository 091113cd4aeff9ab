import { RequestValidationError } from '@quittance/contracts/errors'
import { claimNames } from '@quittance/runtime/claim'
import type { Transaction } from '@quittance/runtime/handler'
import { Product } from '../products/product.ts'

/** What about a discount must hold against other rows; of an organization's own. */
interface DiscountReferences {
  /** The discount itself when it is being changed. */
  id: string | null
  organizationId: string
  code: string | null | undefined
  productIds: readonly string[]
  startsAt: Date | null
  endsAt: Date | null
}

const codeTaken = `
  select 1 from discounts
  where organization_id = :organization_id and lower(code) = lower(:code) and deleted_at is null and id is distinct from :id::uuid`

/** Throws `RequestValidationError` naming the field. */
export async function refuseImpossibleDiscount(
  { em, rows }: Pick<Transaction, 'em' | 'rows'>,
  { id, organizationId, code, productIds, startsAt, endsAt }: DiscountReferences,
): Promise<void> {
  if (startsAt && endsAt && startsAt >= endsAt) throw RequestValidationError.field(['ends_at'], 'Must be after starts_at.')
  const known = await em.count(Product, { id: { $in: [...productIds] }, organizationId })
  if (known !== productIds.length) throw RequestValidationError.field(['products'], 'Product not found.')
  if (!code) return
  await claimNames(rows, [`discount code ${organizationId} ${code.toLowerCase()}`])
  const taken = await rows('discount.code-taken', codeTaken, { organization_id: organizationId, code, id })
  if (taken.length > 0) throw RequestValidationError.field(['code'], 'A discount with this code already exists.')
}

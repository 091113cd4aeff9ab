import { RequestValidationError } from '@quittance/contracts/errors'
import type { Transaction } from '@quittance/runtime/handler'
import { Discount } from '../discounts/discount.ts'
import type { Checkout } from './checkout.ts'

const find = `select id from discounts where organization_id = :organization_id and lower(code) = lower(:code) and deleted_at is null`

/** A code is compared without case. Throws `RequestValidationError` on `discount_code` when nobody's discount has it. */
export async function findDiscountByCode(
  { em, rows }: Pick<Transaction, 'em' | 'rows'>,
  { checkout, code }: { checkout: Checkout; code: string },
): Promise<Discount> {
  const [found] = await rows<{ id: string }>('discount.by-code', find, { organization_id: checkout.organizationId, code })
  if (!found) throw unusableDiscount('discount_code')
  return em.findOneOrFail(Discount, found.id)
}

/** One sentence for what is not there, not for this product, not now or not any more. */
export function unusableDiscount(field: 'discount_code' | 'discount_id'): RequestValidationError {
  return RequestValidationError.field([field], 'Discount does not exist or cannot be used.')
}

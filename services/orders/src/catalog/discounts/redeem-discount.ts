import { RequestValidationError } from '@quittance/contracts/errors'
import type { Transaction } from '@quittance/runtime/handler'
import type { Discount, DiscountUse } from './discount.ts'

const redeem = `
  update discounts set redemptions_count = redemptions_count + 1, version = version + 1, modified_at = :now
  where id = :id and organization_id = any (:scope_organizations) and (max_redemptions is null or redemptions_count < max_redemptions)
  returning id`

/**
 * Counts one redemption. Returns false if a concurrent transaction took the last one. Other redemptions of the same discount wait until the
 * commit, so call it as late as possible.
 */
export async function redeemDiscount({ sql, now }: Pick<Transaction, 'sql' | 'now'>, { id }: Discount): Promise<boolean> {
  return (await sql('discount.redeem', redeem, { id, now })).length > 0
}

/** Returns the discount that a seller named. Throws `RequestValidationError` on `discount_id` with the reason if it cannot be redeemed. */
export function requireRedeemable(discount: Discount | null, use: DiscountUse): Discount {
  if (!discount) throw RequestValidationError.field(['discount_id'], 'The discount does not exist.')
  const obstacle = discount.findObstacle(use)
  if (obstacle !== null) throw RequestValidationError.field(['discount_id'], obstacle)
  return discount
}

import type { Transaction } from '@quittance/runtime/handler'
import type { Discount } from './discount.ts'

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

import type { Transaction } from '@quittance/runtime/handler'
import type { Discount } from './discount.ts'

const redeem = `
  update discounts set redemptions_count = redemptions_count + 1, version = version + 1, modified_at = :now
  where id = :id and (max_redemptions is null or redemptions_count < max_redemptions)
  returning id`

/**
 * Counts one redemption. False when the last one was taken meanwhile. Whoever redeems the same discount waits from here to the commit,
 * so it comes as late as it can.
 */
export async function redeemDiscount({ rows, now }: Pick<Transaction, 'rows' | 'now'>, { id }: Discount): Promise<boolean> {
  return (await rows('discount.redeem', redeem, { id, now })).length > 0
}

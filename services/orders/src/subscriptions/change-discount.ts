import { RequestValidationError } from '@quittance/contracts/errors'
import type { Transaction } from '@quittance/runtime/handler'
import { Discount } from '../discounts/discount.ts'
import { redeemDiscount } from '../discounts/redeem-discount.ts'
import { discountOn } from '../orders/order-amounts.ts'
import type { Subscription } from './subscription.ts'

/** Takes a discount from the next period on, or none; a redemption is counted. */
export async function changeDiscount(
  subscription: Subscription,
  { discountId, context }: { discountId: string | null; context: Transaction },
): Promise<void> {
  const { em, now } = context
  const { productId, currency, organizationId, priceAmount } = subscription
  const discount = discountId ? await em.findOne(Discount, { id: discountId, organizationId }) : null
  if (discountId && discountId === subscription.discountId) throw RequestValidationError.field(['discount_id'], 'It is applied already.')
  if (discountId && !discount?.isRedeemable({ productId, currency, now })) {
    throw RequestValidationError.field(['discount_id'], 'Discount does not exist or cannot be used.')
  }
  subscription.takeDiscount(discountId, priceAmount - discountOn(priceAmount, discount?.rule() ?? null))
  if (discount && !(await redeemDiscount(context, discount))) {
    throw RequestValidationError.field(['discount_id'], 'Discount does not exist or cannot be used.')
  }
}

import { RequestValidationError } from '@quittance/contracts/errors'
import type { Transaction } from '@quittance/runtime/handler'
import { Discount } from '../catalog/discounts/discount.ts'
import { redeemDiscount } from '../catalog/discounts/redeem-discount.ts'
import { discountOn } from '../pricing/order-amounts.ts'
import type { Subscription } from './subscription.ts'

/** Sets or removes the discount from the next period on; a redemption is counted. */
export async function changeDiscount(
  subscription: Subscription,
  { discountId, context }: { discountId: string | null; context: Transaction },
): Promise<void> {
  const { em, now } = context
  const { productId, currency, organizationId, priceAmount } = subscription
  const discount = discountId ? await em.findOne(Discount, { id: discountId, organizationId }) : null
  if (discountId && discountId === subscription.discountId)
    throw RequestValidationError.field(['discount_id'], 'The discount is already applied.')
  if (discountId && !discount?.isRedeemable({ productId, currency, now })) {
    throw RequestValidationError.field(['discount_id'], 'Discount does not exist or cannot be used.')
  }
  subscription.applyDiscount(discountId, priceAmount - discountOn(priceAmount, discount?.rule() ?? null))
  if (discount && !(await redeemDiscount(context, discount))) {
    throw RequestValidationError.field(['discount_id'], 'Discount does not exist or cannot be used.')
  }
}

import { RequestValidationError } from '@quittance/contracts/errors'
import type { Transaction } from '@quittance/runtime/handler'
import { Discount } from '../catalog/discounts/discount.ts'
import { redeemDiscount, requireRedeemable } from '../catalog/discounts/redeem-discount.ts'
import { discountOn } from '../pricing/order-amounts.ts'
import { lowersPeriod } from './period-amount.ts'
import { createAlreadyCanceledError, createUpdatePendingError, isTerminal } from './subscription-status.ts'
import { findUnpaidChange } from './unpaid-change.ts'
import type { Subscription } from './subscription.ts'

/** Sets or removes the discount from the next period on; a redemption is counted. Throws `SubscriptionUpdatePending` while a change of product is unpaid, which may be undone. */
export async function changeDiscount(
  subscription: Subscription,
  { discountId, context }: { discountId: string | null; context: Transaction },
): Promise<void> {
  const { em, now } = context
  const { productId, currency, organizationId, priceAmount } = subscription
  const discount = discountId ? await em.findOne(Discount, { id: discountId, organizationId }) : null
  if (discountId && discountId === subscription.discountId)
    throw RequestValidationError.field(['discount_id'], 'The discount is already applied.')
  if (discountId) requireRedeemable(discount, { productId, currency, now })
  if (isTerminal(subscription.status)) throw createAlreadyCanceledError()
  if (await findUnpaidChange(subscription, context)) throw createUpdatePendingError()
  const previous = subscription.discountId ? await em.findOneOrFail(Discount, subscription.discountId) : null
  if (previous && lowersPeriod(subscription, previous)) subscription.periodDiscountId = previous.id
  subscription.discountId = discountId
  subscription.discountFrom = discountId ? subscription.currentPeriodEnd : null
  subscription.amount = priceAmount - discountOn(priceAmount, discount?.rule() ?? null)
  if (discount && !(await redeemDiscount(context, discount))) {
    throw RequestValidationError.field(['discount_id'], 'The discount was redeemed as often as allowed.')
  }
}

import type { Transaction } from '@quittance/runtime/handler'
import { Discount } from '../catalog/discounts/discount.ts'
import { isDiscountInEffect } from '../pricing/billing-period.ts'
import { discountOn } from '../pricing/order-amounts.ts'
import type { Subscription } from './subscription.ts'

/** Returns whether a subscription has this discount in its current period. */
export function lowersPeriod(
  { discountFrom, currentPeriodStart }: Subscription,
  { duration, durationInMonths }: Pick<Discount, 'duration' | 'durationInMonths'>,
): boolean {
  return Boolean(discountFrom && isDiscountInEffect(currentPeriodStart, { duration, durationInMonths, from: discountFrom }))
}

/** Sets the cost of later periods, and what the current one would have cost. */
export async function applyAmount(subscription: Subscription, { em }: Pick<Transaction, 'em'>): Promise<void> {
  const { discountId, periodDiscountId, productId, currency, priceAmount: whole } = subscription
  const discount = discountId ? await em.findOneOrFail(Discount, discountId) : null
  subscription.amount = whole - discountOn(whole, discount?.rule() ?? null)
  const ofPeriod = discount && lowersPeriod(subscription, discount) ? discount : null
  const current = periodDiscountId ? await em.findOneOrFail(Discount, periodDiscountId) : ofPeriod
  subscription.periodAmount = whole - discountOn(whole, current?.appliesTo({ productId, currency }) ? current.rule() : null)
}

import type { Transaction } from '@quittance/runtime/handler'
import { Discount } from '../discounts/discount.ts'
import { discountOn } from '../orders/order-amounts.ts'
import { discountReaches } from './discount-reach.ts'
import type { Subscription } from './subscription.ts'

/** What the discount takes from the price of the current period. One that reaches no further is let go, and the amount follows. */
export async function discountOfPeriod(subscription: Subscription, { em }: Pick<Transaction, 'em'>): Promise<bigint> {
  const { discountId, discountFrom, currentPeriodStart, priceAmount } = subscription
  const discount = discountId && discountFrom ? await em.findOneOrFail(Discount, discountId) : null
  const reaches = discount && discountFrom && discountReaches(currentPeriodStart, { ...termOf(discount), from: discountFrom })
  if (!reaches) {
    subscription.discountId = null
    subscription.discountFrom = null
  }
  const off = discountOn(priceAmount, reaches ? discount.rule() : null)
  subscription.amount = priceAmount - off
  subscription.periodAmount = priceAmount - off
  return off
}

function termOf({ duration, durationInMonths }: Discount) {
  return { duration, durationInMonths }
}

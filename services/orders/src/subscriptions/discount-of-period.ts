import type { Transaction } from '@quittance/runtime/handler'
import { Discount } from '../discounts/discount.ts'
import { orderAmounts } from '../orders/order-amounts.ts'
import { discountReaches } from './discount-reach.ts'
import type { Subscription } from './subscription.ts'

/** What the discount takes from the price of the current period. One that reaches no further is let go, and the amount follows. */
export async function discountOfPeriod(
  subscription: Subscription,
  { em, price }: { em: Transaction['em']; price: bigint },
): Promise<bigint> {
  const { discountId, discountFrom, currentPeriodStart } = subscription
  const discount = discountId && discountFrom ? await em.findOneOrFail(Discount, discountId) : null
  const reaches = discount && discountFrom && discountReaches(currentPeriodStart, { ...termOf(discount), from: discountFrom })
  if (!reaches) {
    subscription.discountId = null
    subscription.discountFrom = null
  }
  const { net, discount: off } = orderAmounts({ lines: [price], discount: reaches ? discount.rule() : null, tax: 0n })
  subscription.amount = net
  subscription.periodAmount = net
  return off
}

function termOf({ duration, durationInMonths }: Discount) {
  return { duration, durationInMonths }
}

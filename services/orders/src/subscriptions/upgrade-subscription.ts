import { LockMode } from '@mikro-orm/core'
import type { Transaction } from '@quittance/runtime/handler'
import type { Checkout } from '../checkouts/checkout.ts'
import { Discount } from '../discounts/discount.ts'
import { discountOn } from '../orders/order-amounts.ts'
import { clockOf } from '../organizations/clock.ts'
import { Product } from '../products/product.ts'
import { moveBenefits } from './move-benefits.ts'
import { Subscription } from './subscription.ts'
import type { RecurringInterval } from './subscription-period.ts'
import { isEnd } from './subscription-status.ts'
import { tellSubscription } from './tell-subscription.ts'

interface Upgrade {
  checkout: Checkout
  paymentToken: string | null
}

/**
 * A free subscription becomes what its checkout was paid for; its first paid period begins now. One that ended while the payment
 * was under way stays ended: the order is paid, and can be refunded.
 */
export async function upgradeSubscription(context: Transaction, { checkout, paymentToken }: Upgrade): Promise<void> {
  const { em } = context
  const id = checkout.subscriptionId as string
  const subscription = await em.findOneOrFail(Subscription, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (isEnd(subscription.status)) return
  const clock = await clockOf(context, checkout.organizationId)
  const before = subscription.standing()
  const { recurringInterval } = await em.findOneOrFail(Product, checkout.productId)
  const discount = checkout.discountId ? await em.findOneOrFail(Discount, checkout.discountId) : null
  if (subscription.cancelAtPeriodEnd) subscription.uncancel()
  subscription.restart(recurringInterval as RecurringInterval, clock)
  subscription.upgrade(checkout, { off: discountOn(checkout.priceAmount, discount?.rule() ?? null), paymentToken })
  await em.flush()
  await moveBenefits(subscription, context)
  await tellSubscription(context, subscription, before)
}

import type { Transaction } from '@quittance/runtime/handler'
import type { Checkout } from '../checkouts/checkout.ts'
import { Discount } from '../discounts/discount.ts'
import { discountOn } from '../orders/order-amounts.ts'
import { clockOf } from '../organizations/clock.ts'
import { holdCustomer } from './hold-customer.ts'
import { refuseSecondSubscription } from './refuse-second-subscription.ts'
import { Subscription } from './subscription.ts'
import { periodEnd, type RecurringInterval } from './subscription-period.ts'
import { tellSubscription } from './tell-subscription.ts'

interface Start {
  checkout: Checkout
  customerId: string
  interval: RecurringInterval
  paymentToken: string | null
}

/** A confirmed checkout of a recurring product becomes a subscription: active at once when nothing is to be paid. */
export async function startSubscription(
  context: Transaction,
  { checkout, customerId, interval, paymentToken }: Start,
): Promise<Subscription> {
  const { em } = context
  const { organizationId } = checkout
  await holdCustomer(context.rows, customerId)
  await refuseSecondSubscription(context.rows, { organizationId, customerId })
  const clock = await clockOf(context, organizationId)
  const start = clock.now
  const anchorDay = start.getUTCDate()
  const discount = checkout.discountId ? await em.findOneOrFail(Discount, checkout.discountId) : null
  const amount = checkout.priceAmount - discountOn(checkout.priceAmount, discount?.rule() ?? null)
  const subscription = em.create(Subscription, {
    organizationId,
    status: 'incomplete',
    currency: checkout.currency,
    priceAmount: checkout.priceAmount,
    amount,
    periodAmount: amount,
    recurringInterval: interval,
    anchorDay,
    currentPeriodStart: start,
    currentPeriodEnd: periodEnd(start, { interval, anchorDay }),
    cancelAtPeriodEnd: false,
    canceledAt: null,
    startedAt: null,
    endsAt: null,
    endedAt: null,
    customerId,
    productId: checkout.productId,
    productPriceId: checkout.productPriceId,
    discountId: checkout.discountId ?? null,
    discountFrom: checkout.discountId ? start : null,
    checkoutId: checkout.id,
    customerCancellationReason: null,
    customerCancellationComment: null,
    paymentToken,
    failedCharges: 0,
    metadata: checkout.metadata,
    dueAt: null,
    leasedUntil: null,
  })
  if (checkout.totalAmount() === 0n) subscription.paid(clock)
  await em.flush()
  await tellSubscription(context, subscription, null)
  return subscription
}

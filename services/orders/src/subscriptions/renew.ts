import type { Transaction } from '@quittance/runtime/handler'
import type { Order } from '../orders/order.ts'
import { payOrder, placeOrder } from '../orders/place-order.ts'
import type { OrganizationClock } from '../organizations/clock.ts'
import { startPayment } from '../payments/start-payment.ts'
import { billOfPeriod } from './bill-of-period.ts'
import type { Subscription } from './subscription.ts'
import { tellRenewal } from './tell-renewal.ts'
import { tellSubscription } from './tell-subscription.ts'

export interface Renewal {
  context: Transaction
  clock: OrganizationClock
}

/** The next period begins, and its order is charged; what costs nothing is paid at once. */
export async function renew(subscription: Subscription, { context, clock }: Renewal): Promise<void> {
  const before = subscription.standing()
  subscription.beginPeriod(subscription.nextPeriod())
  const { sale, settle } = await billOfPeriod(subscription, context)
  await tellSubscription(context, subscription, before)
  const order = await placeOrder(context, sale)
  settle(order.id)
  await collect(order, { subscription, context, clock })
}

/** Charges an order of a subscription. Nothing to charge with is the same as a declined charge. */
export async function collect(order: Order, { subscription, context, clock }: Renewal & { subscription: Subscription }): Promise<void> {
  const { paymentToken } = subscription
  if (order.totalAmount === 0n) {
    await payOrder(context, order)
    subscription.paid(clock)
    if (order.billingReason === 'subscription_cycle') await tellRenewal(subscription, context)
  } else if (paymentToken) {
    await startPayment(context, { order, confirmationToken: paymentToken })
  } else {
    const before = subscription.standing()
    subscription.declined(clock)
    await tellSubscription(context, subscription, before)
  }
}

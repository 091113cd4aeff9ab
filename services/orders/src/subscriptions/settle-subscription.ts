import { LockMode } from '@mikro-orm/core'
import type { Transaction } from '@quittance/runtime/handler'
import { Checkout } from '../checkouts/checkout.ts'
import type { Order } from '../orders/order.ts'
import { clockOf } from '../organizations/clock.ts'
import { renewalJob } from './renewal-job.ts'
import { tellRenewal } from './tell-renewal.ts'
import { Subscription } from './subscription.ts'
import { tellSubscription } from './tell-subscription.ts'
import { upgradeSubscription } from './upgrade-subscription.ts'

interface Settled {
  order: Order
  paid: boolean
  /** What it was charged with. */
  paymentToken: string
}

/** The payment of an order of a subscription was settled: it is active, or waits for the next try. */
export async function settleSubscription(context: Transaction, { order, paid, paymentToken }: Settled): Promise<void> {
  const { em, wake } = context
  if (!order.subscriptionId) return
  // An upgrade that is declined leaves the free subscription as it is.
  if (order.checkoutId && order.billingReason === 'subscription_update') {
    const checkout = await em.findOneOrFail(Checkout, order.checkoutId)
    if (paid) await upgradeSubscription(context, { checkout, paymentToken })
    return
  }
  const subscription = await em.findOneOrFail(Subscription, { id: order.subscriptionId }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  // An order between two periods says nothing about whether the next one is awaited.
  if (paid && order.billingReason === 'subscription_update' && subscription.status === 'active') return
  const clock = await clockOf(context, order.organizationId)
  const before = subscription.standing()
  const changed = paid ? subscription.paid(clock) : subscription.declined(clock)
  if (changed) await tellSubscription(context, subscription, before)
  if (paid && order.billingReason === 'subscription_cycle') await tellRenewal(subscription, context)
  // Several periods may have passed: then the next one is due already.
  wake(renewalJob)
}

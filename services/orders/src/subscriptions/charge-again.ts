import type { Transaction } from '@quittance/runtime/handler'
import { Order } from '../orders/order.ts'
import type { OrganizationClock } from '../organizations/clock.ts'
import { startPayment } from '../payments/start-payment.ts'
import type { Subscription } from './subscription.ts'
import { tellSubscription } from './tell-subscription.ts'

/** Tries once more to be paid for what is owed. Without anything to charge, the try has failed already. */
export async function chargeAgain(
  subscription: Subscription,
  { context, clock }: { context: Transaction; clock: OrganizationClock },
): Promise<void> {
  const owed = await context.em.find(Order, { subscriptionId: subscription.id, status: 'pending' }, { orderBy: { createdAt: 'asc' } })
  const { paymentToken } = subscription
  if (paymentToken) {
    subscription.await()
    for (const order of owed) await startPayment(context, { order, confirmationToken: paymentToken })
    return
  }
  const before = subscription.standing()
  subscription.declined(clock)
  await tellSubscription(context, subscription, before)
}

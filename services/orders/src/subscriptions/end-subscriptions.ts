import { LockMode } from '@mikro-orm/core'
import type { Transaction } from '@quittance/runtime/handler'
import { clockOf } from '../organizations/clock.ts'
import { Subscription } from './subscription.ts'
import { tellSubscription } from './tell-subscription.ts'

/** Ends everything a customer subscribes to, now. */
export async function endSubscriptionsOf(customerId: string, context: Transaction): Promise<void> {
  const running = await context.em.find(
    Subscription,
    { customerId, endedAt: null },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { createdAt: 'asc', id: 'asc' } },
  )
  for (const subscription of running) {
    const clock = await clockOf(context, subscription.organizationId)
    const before = subscription.standing()
    subscription.revoke(clock.now)
    await tellSubscription(context, subscription, before)
  }
}

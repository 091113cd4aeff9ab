import { LockMode } from '@mikro-orm/core'
import type { Transaction } from '@quittance/runtime/handler'
import { clockOf, type OrganizationClock } from '../organizations/clock.ts'
import { Subscription } from './subscription.ts'
import { tellSubscription } from './tell-subscription.ts'

/** Changes one of the caller's subscriptions, one change at a time, and tells of it. */
export async function changeSubscription(
  id: string,
  context: Transaction,
  change: (subscription: Subscription, clock: OrganizationClock) => Promise<void> | void,
): Promise<void> {
  const subscription = await context.em.findOneOrFail(Subscription, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  const clock = await clockOf(context, subscription.organizationId)
  const before = subscription.standing()
  await change(subscription, clock)
  await tellSubscription(context, subscription, before)
}

import { LockMode } from '@mikro-orm/core'
import type { Transaction } from '@quittance/runtime/handler'
import { loadClock, type OrganizationClock } from '../organizations/organization.ts'
import { lockCustomer } from '../customers/lock-customer.ts'
import { Subscription } from './subscription.ts'
import { publishSubscriptionChange } from './publish-subscription-change.ts'

/** Changes one of the caller's subscriptions, one change at a time, and publishes the change. Returns what the change returns. */
export async function changeSubscription<Result>(
  id: string,
  context: Transaction,
  change: (subscription: Subscription, clock: OrganizationClock) => Promise<Result> | Result,
): Promise<Result> {
  const { customerId } = await context.em.findOneOrFail(Subscription, { id }, { disableIdentityMap: true })
  await lockCustomer(context.sql, customerId)
  const subscription = await context.em.findOneOrFail(Subscription, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  // Later statements concern other orders of the subscription and the customer's state.
  context.beyondCheckout()
  const clock = await loadClock(context, subscription.organizationId)
  const before = subscription.snapshot()
  const result = await change(subscription, clock)
  await publishSubscriptionChange(context, subscription, before)
  return result
}

/** Ends all subscriptions of a customer now. */
export async function revokeCustomerSubscriptions(context: Transaction, { customerId }: { customerId: string }): Promise<void> {
  const running = await context.em.find(
    Subscription,
    { customerId, endedAt: null },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { createdAt: 'asc', id: 'asc' } },
  )
  for (const subscription of running) {
    const clock = await loadClock(context, subscription.organizationId)
    const before = subscription.snapshot()
    subscription.revoke(clock.now)
    await publishSubscriptionChange(context, subscription, before)
  }
}

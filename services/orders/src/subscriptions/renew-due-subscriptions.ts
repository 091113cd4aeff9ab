import { LockMode } from '@mikro-orm/core'
import { job, type Transaction } from '@quittance/runtime/handler'
import { clockOf, type OrganizationClock } from '../organizations/clock.ts'
import { chargeAgain } from './charge-again.ts'
import { renew } from './renew.ts'
import { renewalJob } from './renewal-job.ts'
import { Subscription } from './subscription.ts'
import { tellSubscription } from './tell-subscription.ts'

const batch = 20

const claim = `
  update subscriptions set leased_until = now() + :lease * interval '1 millisecond'
  where id in (
    select id from subscriptions
    where due_at <= now() and (leased_until is null or leased_until < now())
    order by due_at limit ${batch} for update skip locked)
  returning id, organization_id`

/** Renews, ends or charges again what is due. A replica that dies in between leaves a lease that runs out. */
export const renewDueSubscriptions = job({
  name: renewalJob,
  everyMs: 1_000,
  async run(context) {
    const due = await context.rows<{ id: string; organization_id: string }>('subscriptions.claim', claim, { lease: context.leaseMs })
    await Promise.all(due.map(({ id, organization_id }) => context.transaction(organization_id, (transaction) => proceed(id, transaction))))
    return due.length === batch
  },
})

async function proceed(id: string, context: Transaction): Promise<void> {
  const subscription = await context.em.findOneOrFail(Subscription, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  // Somebody else was here since it was claimed.
  if (!subscription.dueAt || subscription.dueAt > context.now) return
  const clock = await clockOf(context, subscription.organizationId)
  if (subscription.isOver(clock.now)) return end(subscription, context)
  if (subscription.status === 'past_due') return chargeAgain(subscription, { context, clock })
  return renewInTime(subscription, { context, clock })
}

async function end(subscription: Subscription, context: Transaction): Promise<void> {
  const before = subscription.standing()
  subscription.end()
  await tellSubscription(context, subscription, before)
}

async function renewInTime(
  subscription: Subscription,
  { context, clock }: { context: Transaction; clock: OrganizationClock },
): Promise<void> {
  if (clock.now >= subscription.currentPeriodEnd) return renew(subscription, { context, clock })
  subscription.dueAt = clock.toReal(subscription.currentPeriodEnd)
  subscription.leasedUntil = null
}

import { LockMode } from '@mikro-orm/core'
import { job, type Transaction } from '@quittance/runtime/handler'
import { selectInTurn } from '../organizations/select-in-turn.ts'
import { loadClock, type OrganizationClock } from '../organizations/organization.ts'
import { findMethod } from './charge-order.ts'
import { findPlannedProduct } from './choose-product.ts'
import { renewSubscription, retryPayment } from './renew-subscription.ts'
import { renewalJobName } from '../job-names.ts'
import { lockCustomer } from '../customers/lock-customer.ts'
import { Subscription } from './subscription.ts'
import { isTerminal } from './subscription-status.ts'
import { publishSubscriptionChange } from './publish-subscription-change.ts'
import { findUnpaidChange } from './unpaid-change.ts'
import { runEach } from './run-each.ts'

const batch = 20

export const claimStatement = `
  update subscriptions set leased_until = now() + :lease * interval '1 millisecond'
  where id = any (array(${selectInTurn({
    table: 'subscriptions',
    dueColumn: 'due_at',
    isWaiting: 'due_at is not null',
    isFree: '(leased_until is null or leased_until < now())',
    limit: `${batch}`,
  })}))
  returning id, organization_id, customer_id`

/** A canceled one ends with its period, also if a payment has had no result for a day, unless the provider is still deciding on it. */
const claimCanceled = `
  update subscriptions set leased_until = now() + :lease * interval '1 millisecond'
  where id = any (array(${selectInTurn({
    table: 'subscriptions',
    dueColumn: 'ends_at',
    isWaiting: 'cancel_at_period_end and due_at is null and ended_at is null',
    isFree: `(leased_until is null or leased_until < now())
      and not exists (
        select from payments p join orders o on o.id = p.order_id
        where o.subscription_id = subscriptions.id and p.settled_at is null
          and (p.created_at > now() - interval '1 day' or (p.state = 'processing' and p.quarantine_reason is null)))`,
    limit: `${batch}`,
    dueUntil: (organization) =>
      `(select now() + clock_offset_ms * interval '1 millisecond' from organizations g where g.id = ${organization})`,
  })}))
  returning id, organization_id, customer_id`

interface DueSubscription {
  id: string
  organization_id: string
  customer_id: string
}

/** Renews, ends or charges again all due subscriptions. If a replica dies in between, its lease expires. */
export const renewDueSubscriptions = job({
  name: renewalJobName,
  everyMs: 1_000,
  async run(context) {
    const lease = { lease: context.leaseMs }
    const due = await context.systemSql<DueSubscription>('subscriptions.claim', claimStatement, lease)
    const canceled = await context.systemSql<DueSubscription>('subscriptions.claim-canceled', claimCanceled, lease)
    const tasks = [
      ...canceled.map((row) => ({ row, run: (transaction: Transaction) => endCanceled(row, transaction) })),
      ...due.map((row) => ({ row, run: (transaction: Transaction) => proceed(row, transaction) })),
    ]
    await runEach(tasks, { context, failure: 'subscription.renewal-failed', idField: 'subscription_id' })
    return due.length === batch || canceled.length === batch
  },
})

async function proceed({ id, customer_id }: DueSubscription, context: Transaction): Promise<void> {
  await lockCustomer(context.sql, customer_id)
  const subscription = await context.em.findOneOrFail(Subscription, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  // Another transaction handled it after it was claimed.
  if (!subscription.dueAt || subscription.dueAt > context.now) return
  const clock = await loadClock(context, subscription.organizationId)
  if (subscription.isEndDue(clock.now)) return endInTime(subscription, context)
  if (subscription.status === 'past_due') return retryPayment(subscription, { context, clock })
  return renewInTime(subscription, { context, clock })
}

async function endCanceled({ id, customer_id }: DueSubscription, context: Transaction): Promise<void> {
  await lockCustomer(context.sql, customer_id)
  const subscription = await context.em.findOneOrFail(Subscription, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  const clock = await loadClock(context, subscription.organizationId)
  // Another transaction renewed, kept or ended it after it was claimed.
  if (subscription.dueAt || isTerminal(subscription.status) || !subscription.isEndDue(clock.now)) return
  await end(subscription, context)
}

/** The time of a change whose payment has no result yet is used up: its money is still wanted. */
async function endInTime(subscription: Subscription, context: Transaction): Promise<void> {
  if (await findUnpaidChange(subscription, context)) postpone(subscription, context)
  else await end(subscription, context)
}

async function end(subscription: Subscription, context: Transaction): Promise<void> {
  const before = subscription.snapshot()
  if (subscription.cancelAtPeriodEnd) subscription.end()
  else subscription.endWithTrial()
  await publishSubscriptionChange(context, subscription, before)
}

/**
 * Whether its trial ends without a payment method, which a free product does not need. A discount makes no product free. The default method of
 * the customer is charged only if the buyer chose one for the subscription: anyone may have typed the address with which the trial began.
 */
async function isTrialUnpayable(subscription: Subscription, { sql, em }: Transaction): Promise<boolean> {
  if (!subscription.isLastOfTrial()) return false
  const planned = await findPlannedProduct(subscription, em)
  const price = planned ? planned.price.amountFor(null) : subscription.priceAmount
  if (price === 0n) return false
  return !subscription.paymentMethodId || !(await findMethod(sql, { subscription, isChosenByCustomer: false }))
}

async function renewInTime(
  subscription: Subscription,
  { context, clock }: { context: Transaction; clock: OrganizationClock },
): Promise<void> {
  if (clock.now >= subscription.currentPeriodEnd) {
    if (await isTrialUnpayable(subscription, context)) return end(subscription, context)
    // A change that is not paid is undone: the next period is then that of the product before.
    if (await findUnpaidChange(subscription, context)) return postpone(subscription, context)
    return renewSubscription(subscription, { context, clock })
  }
  subscription.dueAt = clock.toReal(subscription.currentPeriodEnd)
  subscription.leasedUntil = null
}

/** The result of the payment makes it due again. The release before, which may record the result, does not. */
function postpone(subscription: Subscription, { now }: Transaction): void {
  subscription.dueAt = new Date(now.getTime() + 3_600_000)
  subscription.leasedUntil = null
}

import { subscriptionRenewalAhead, type AnnouncedSubscription } from '@quittance/contracts/subscription-announcements'
import { job, type JobContext, type Transaction } from '@quittance/runtime/handler'
import { announceRenewalsJobName } from '../job-names.ts'
import type { RecurringInterval } from '../pricing/billing-period.ts'
import { findPlannedProduct } from './choose-product.ts'
import { computeAndRollBack } from './compute-and-roll-back.ts'
import { placeNextOrder } from './renew-subscription.ts'
import { Subscription } from './subscription.ts'
import { announcedSubscriptionView, nextAmount } from './subscription-view.ts'

/** Number of subscriptions that `announceAll` reads at once. */
const announcementBatch = 100

/** The clock of the organization of `s`, joined as `o`. */
const clockOfOrganization = `(now() + o.clock_offset_ms * interval '1 millisecond')`

/** Whether a moment is at most so many days ahead, by the clock of the organization, in SQL. */
export const isWithinDays = (moment: string, days: number) =>
  `${moment} > ${clockOfOrganization} and ${moment} <= ${clockOfOrganization} + interval '${days} days'`

interface SearchOptions {
  /** Condition of a row `s` to announce, with the clock of its organization `o`. */
  isAhead: string
  /** Column of the moment that is announced. */
  moment: string
  days: number
}

/** SQL that finds a batch to announce. Each test clock is asked separately: one that is far ahead makes no other organization be read. */
export function buildSearch({ isAhead, moment, days }: SearchOptions): string {
  const end = `now() + interval '${days} days'`
  const select = (from: string, where: string) => `
  (select s.id, s.organization_id from ${from}
  where ${isAhead} and s.id <> all (:failed::uuid[]) and ${where}
  order by ${moment} limit ${announcementBatch})`
  return `${select('subscriptions s join organizations o on o.id = s.organization_id', `${moment} <= ${end}`)}
  union all
  (select s.id, s.organization_id from organizations o cross join lateral ${select('subscriptions s', `s.organization_id = o.id and ${moment} > ${end}`)} s
  where o.clock_offset_ms > 0 limit ${announcementBatch})
  limit ${announcementBatch}`
}

const isAhead = `s.recurring_interval = 'year' and s.status = 'active' and not s.cancel_at_period_end
    and (${nextAmount} > 0 or s.pending_product_id is not null)
    and ${isWithinDays('s.current_period_end', 30)}
    and s.renewal_announced_for is distinct from s.current_period_end`

const findDue = buildSearch({ isAhead, moment: 's.current_period_end', days: 30 })

const announce = `
  update subscriptions s set renewal_announced_for = s.current_period_end from organizations o
  where s.id = :id and s.organization_id = any (:scope_organizations) and o.id = s.organization_id and ${isAhead}
  returning s.customer_id`

export interface DueSubscription {
  id: string
  organization_id: string
}

/** A due subscription with what the order of its next period charges. */
export interface PreviewedSubscription extends DueSubscription {
  nextTotalAmount: number
}

/** Announces the renewals of yearly subscriptions 30 days ahead, each once, whatever is killed and however many replicas run. */
export const announceRenewals = job({
  name: announceRenewalsJobName,
  everyMs: 60_000,
  async run(context) {
    const listDue = (failed: readonly string[]) => context.systemSql<DueSubscription>('subscriptions.find-ahead', findDue, { failed })
    await announceAll(context, { listDue, announceOne })
    return false
  },
})

interface Announcements {
  /** Returns the next batch of those that are due, without those that failed in this run. */
  listDue(failed: readonly string[]): Promise<readonly DueSubscription[]>
  announceOne(due: PreviewedSubscription, context: Transaction): Promise<void>
}

/** Announces each in a separate transaction. One that fails is logged and left to the next run of the job: it delays no other. */
export async function announceAll(context: JobContext, { listDue, announceOne }: Announcements): Promise<void> {
  const { log, isStopping } = context
  const announce = async (due: DueSubscription) => {
    const nextTotalAmount = await previewNextTotal(due, context)
    await context.transaction(due.organization_id, (transaction) => announceOne({ ...due, nextTotalAmount }, transaction))
  }
  const failed: string[] = []
  for (;;) {
    const due = await listDue(failed)
    for (const each of due) {
      if (isStopping()) return
      const { id, organization_id } = each
      await announce(each).catch((error: unknown) => {
        failed.push(id)
        log.error({ err: error, subscription_id: id, organization_id }, 'subscription.not-announced')
      })
    }
    if (due.length < announcementBatch) return
  }
}

/** Places the next order and rolls it back: its total has the tax at the buyer's address and pending prorations. */
function previewNextTotal({ id, organization_id: organizationId }: DueSubscription, context: JobContext): Promise<number> {
  return computeAndRollBack(context, { organizationId, id }, async (subscription, { transaction }) => {
    const { totalAmount } = await placeNextOrder(subscription, transaction)
    return Number(totalAmount)
  })
}

/** The condition is repeated under the lock of the row: another replica may have announced it, or the customer has cancelled. */
async function announceOne({ organization_id: organizationId, ...due }: PreviewedSubscription, context: Transaction): Promise<void> {
  const { sql, publish } = context
  const [announced] = await sql<{ customer_id: string }>('subscription.announce', announce, { id: due.id })
  if (!announced) return
  const payload = await loadAnnouncement(due, context)
  // Nothing is charged for a planned product that is free.
  if (payload.next_amount === 0) return
  publish({ event: subscriptionRenewalAhead, aggregateId: announced.customer_id, organizationId, payload })
}

/** Loads a subscription with what its next period costs, and the product that is planned for it. */
export async function loadAnnouncement(
  { id, nextTotalAmount }: Pick<PreviewedSubscription, 'id' | 'nextTotalAmount'>,
  { em, read }: Transaction,
): Promise<AnnouncedSubscription> {
  const text = await read.one(announcedSubscriptionView, { where: 's.id = :id', values: { id } })
  const view: AnnouncedSubscription = { ...(JSON.parse(text) as AnnouncedSubscription), next_total_amount: nextTotalAmount }
  if (view.pending_product_id === null) return view
  const subscription = await em.findOneOrFail(Subscription, { id })
  const planned = await findPlannedProduct(subscription, em)
  if (!planned) return view
  const { id: productId, name, recurringInterval } = planned.product
  const currency = planned.price.priceCurrency ?? subscription.currency
  return { ...view, next_product: { id: productId, name, currency, recurring_interval: recurringInterval as RecurringInterval } }
}

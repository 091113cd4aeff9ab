import { subscriptionTrialEnding } from '@quittance/contracts/subscription-announcements'
import { job, type Transaction } from '@quittance/runtime/handler'
import { announceTrialEndsJobName } from '../job-names.ts'
import {
  announceAll,
  buildSearch,
  isWithinDays,
  loadAnnouncement,
  type DueSubscription,
  type PreviewedSubscription,
} from './announce-renewals.ts'

const isAhead = `s.status = 'trialing' and not s.cancel_at_period_end and s.trial_end_announced_at is null
    and ${isWithinDays('s.trial_end', 3)}`

const findDue = buildSearch({ isAhead, moment: 's.trial_end', days: 3 })

const announce = `
  update subscriptions s set trial_end_announced_at = now() from organizations o
  where s.id = :id and s.organization_id = any (:scope_organizations) and o.id = s.organization_id and ${isAhead}
  returning s.customer_id`

/** Announces the ends of trials three days ahead, those of shorter ones at once; each once, whatever is killed and however many replicas run. */
export const announceTrialEnds = job({
  name: announceTrialEndsJobName,
  everyMs: 60_000,
  async run(context) {
    const listDue = (failed: readonly string[]) =>
      context.systemSql<DueSubscription>('subscriptions.find-ending-trials', findDue, { failed })
    await announceAll(context, { listDue, announceOne: announceEnd })
    return false
  },
})

/** The condition is repeated under the lock of the row, as for renewals. */
async function announceEnd({ organization_id: organizationId, ...due }: PreviewedSubscription, context: Transaction): Promise<void> {
  const { sql, publish } = context
  const [announced] = await sql<{ customer_id: string }>('subscription.announce-trial-end', announce, { id: due.id })
  if (!announced) return
  const payload = await loadAnnouncement(due, context)
  publish({ event: subscriptionTrialEnding, aggregateId: announced.customer_id, organizationId, payload })
}
